# SPDX-License-Identifier: Apache-2.0
"""Reads C++ through libclang's C interface, of Debian's libclang1-19: the few calls of it that the reference needs.

`parse` gives the declarations of a text and of all that it includes as cursors: a kind, a name, where it stands, what is in it.
"""

import ctypes
import functools

LIBRARY = "libclang-19.so.19"
# Where clang's own headers are (Debian's libclang-common-19-dev): stddef.h and the like.
RESOURCES = "/usr/lib/llvm-19/lib/clang/19"
# Bodies are of no interest, and are half of the time.
SKIP_BODIES, KEEP_GOING = 0x40, 0x200
ERROR = 3
PUBLIC, PROTECTED, PRIVATE = 1, 2, 3

# Kinds of cursors, by the numbers that libclang's Index.h gives them for good.
KINDS = {2: "struct", 3: "union", 4: "class", 5: "enum", 6: "field", 7: "enumerator", 8: "function", 9: "variable", 20: "alias",
         21: "method", 22: "namespace", 24: "constructor", 25: "destructor", 26: "conversion", 30: "function template",
         31: "class template", 32: "class template", 35: "using", 36: "alias", 39: "access", 43: "type reference", 44: "base",
         45: "template reference", 601: "alias", 602: "assertion", 603: "friend", 604: "concept"}


class _Cursor(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("xdata", ctypes.c_int), ("data", ctypes.c_void_p * 3)]


class _String(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("flags", ctypes.c_uint)]


class _Location(ctypes.Structure):
    _fields_ = [("pointers", ctypes.c_void_p * 2), ("data", ctypes.c_uint)]


class _Range(ctypes.Structure):
    _fields_ = [("pointers", ctypes.c_void_p * 2), ("begin", ctypes.c_uint), ("end", ctypes.c_uint)]


class _Unsaved(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("text", ctypes.c_char_p), ("length", ctypes.c_ulong)]


_Visitor = ctypes.CFUNCTYPE(ctypes.c_int, _Cursor, _Cursor, ctypes.c_void_p)


class Missing(Exception):
    """libclang, or what it needs, is not installed."""


@functools.cache
def library():
    """Returns libclang, with the types of what is called. Raises Missing."""
    try:
        loaded = ctypes.CDLL(LIBRARY)
    except OSError as error:
        raise Missing(f"{error}: install Debian's libclang1-19 and libclang-common-19-dev (./dev deps docs)") from error
    pointer, number = ctypes.c_void_p, ctypes.c_uint
    for name, result, arguments in [
            ("createIndex", pointer, [ctypes.c_int, ctypes.c_int]),
            ("parseTranslationUnit2", ctypes.c_int, [pointer, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p), ctypes.c_int,
                                                     ctypes.POINTER(_Unsaved), number, number, ctypes.POINTER(pointer)]),
            ("getTranslationUnitCursor", _Cursor, [pointer]), ("visitChildren", number, [_Cursor, _Visitor, pointer]),
            ("getCString", ctypes.c_char_p, [_String]), ("disposeString", None, [_String]),
            ("getCursorSpelling", _String, [_Cursor]), ("Cursor_getCommentRange", _Range, [_Cursor]),
            ("getCursorExtent", _Range, [_Cursor]), ("getCursorLocation", _Location, [_Cursor]),
            ("getRangeStart", _Location, [_Range]), ("getRangeEnd", _Location, [_Range]),
            ("getExpansionLocation", None, [_Location, ctypes.POINTER(pointer), pointer, pointer, ctypes.POINTER(number)]),
            ("getFileName", _String, [pointer]), ("getCXXAccessSpecifier", ctypes.c_int, [_Cursor]),
            ("isCursorDefinition", number, [_Cursor]), ("getCursorReferenced", _Cursor, [_Cursor]),
            ("getCursorDefinition", _Cursor, [_Cursor]), ("Cursor_isNull", ctypes.c_int, [_Cursor]),
            ("getNumDiagnostics", number, [pointer]), ("getDiagnostic", pointer, [pointer, number]),
            ("getDiagnosticSeverity", ctypes.c_int, [pointer]), ("formatDiagnostic", _String, [pointer, number])]:
        function = getattr(loaded, "clang_" + name)
        function.restype, function.argtypes = result, arguments
    return loaded


def _text(string):
    data = library().clang_getCString(string)
    library().clang_disposeString(string)
    return data.decode() if data else ""


_file_names = {}


def _place(location):
    file, offset = ctypes.c_void_p(), ctypes.c_uint()
    library().clang_getExpansionLocation(location, ctypes.byref(file), None, None, ctypes.byref(offset))
    if file.value not in _file_names:
        _file_names[file.value] = _text(library().clang_getFileName(file)) if file.value else ""
    return _file_names[file.value], offset.value


class Cursor:
    """A declaration or a reference, as libclang sees it."""

    def __init__(self, raw):
        self._raw = raw
        self.kind = KINDS.get(raw.kind, "")

    @property
    def name(self):
        return _text(library().clang_getCursorSpelling(self._raw))

    @property
    def comment(self):
        """Where its documentation comment begins and ends; None if there is none."""
        extent = library().clang_Cursor_getCommentRange(self._raw)
        file, begin = _place(library().clang_getRangeStart(extent))
        return (begin, _place(library().clang_getRangeEnd(extent))[1]) if file else None

    @property
    def place(self):
        """The file, and the offset in bytes, of its name."""
        return _place(library().clang_getCursorLocation(self._raw))

    @property
    def begin(self):
        return _place(library().clang_getRangeStart(library().clang_getCursorExtent(self._raw)))[1]

    @property
    def end(self):
        return _place(library().clang_getRangeEnd(library().clang_getCursorExtent(self._raw)))[1]

    @property
    def access(self):
        return library().clang_getCXXAccessSpecifier(self._raw)

    @property
    def is_definition(self):
        return bool(library().clang_isCursorDefinition(self._raw))

    @property
    def target(self):
        """The place of what a reference names: of its definition where that is known."""
        named = library().clang_getCursorReferenced(self._raw)
        definition = library().clang_getCursorDefinition(named)
        return _place(library().clang_getCursorLocation(named if library().clang_Cursor_isNull(definition) else definition))

    def children(self):
        found = []

        def visit(raw, _parent, _data):
            # A copy: what the callback gets is gone after it.
            found.append(Cursor(_Cursor.from_buffer_copy(raw)))
            return 1

        library().clang_visitChildren(self._raw, _Visitor(visit), None)
        return found


def parse(text, flags):
    """Returns the cursor of all that a C++ text declares and includes, and the errors of clang, as lines."""
    arguments = ["-x", "c++", "-std=c++23", "-resource-dir", RESOURCES, *flags]
    vector = (ctypes.c_char_p * len(arguments))(*[argument.encode() for argument in arguments])
    name, data = b"reference.cc", text.encode()
    unsaved = _Unsaved(name, data, len(data))
    unit = ctypes.c_void_p()
    calls = library()
    failed = calls.clang_parseTranslationUnit2(calls.clang_createIndex(0, 0), name, vector, len(arguments), ctypes.byref(unsaved), 1,
                                               SKIP_BODIES | KEEP_GOING, ctypes.byref(unit))
    if failed:
        return None, [f"libclang could not read the text (error {failed})"]
    errors = []
    for index in range(calls.clang_getNumDiagnostics(unit)):
        diagnostic = calls.clang_getDiagnostic(unit, index)
        if calls.clang_getDiagnosticSeverity(diagnostic) >= ERROR:
            errors.append(_text(calls.clang_formatDiagnostic(diagnostic, 3)))
    return Cursor(calls.clang_getTranslationUnitCursor(unit)), errors
