# SPDX-License-Identifier: Apache-2.0

import unittest

import groups

SIZE = 12  # files a group


def grouped(**texts):
    """The groups of files with these texts, in their order, as lists of names."""
    return groups.groups(list(texts), texts.get, SIZE)


def unnamed(body):
    return "#include <a.h>\nnamespace fairway::http {\nnamespace {\n" + body + "\n}  // namespace\n}  // namespace fairway::http\n"


class GroupsTest(unittest.TestCase):
    def together(self, a, b):
        self.assertEqual(grouped(a=a, b=b), [["a", "b"]])

    def apart(self, a, b):
        self.assertEqual(grouped(a=a, b=b), [["a"], ["b"]])

    def test_files_with_names_of_their_own_are_one(self):
        self.together(unnamed("int one() { return 1; }"), unnamed("int two() { return 2; }"))

    def test_the_same_name_twice_keeps_them_apart(self):
        self.apart(unnamed("int one() { return 1; }"), unnamed("std::string one(int a) { return {}; }"))
        self.apart(unnamed("struct Row { int a; };"), unnamed("enum class Row { a };"))
        self.apart(unnamed("constexpr int rows[] = {1};"), unnamed("const std::map<int, int> rows = {};"))
        self.apart(unnamed("constexpr int one = 1, two = 2;"), unnamed("constexpr int two = 2, three = 3;"))
        self.apart("#define LIMIT 1\n", "#define LIMIT 2\n")

    def test_a_name_that_the_other_may_mean_keeps_them_apart(self):
        self.apart(unnamed("struct Address {};"), "void show(const Address& address) {}")
        self.apart(unnamed("std::string text(int a) { return {}; }"), "void show() { print(text(1.5)); }")

    def test_members_and_locals_are_not_names_of_a_file(self):
        self.together(unnamed("int size() { return 1; }"), "void show() { list.size(); list->size(); std::size(list); int size = 1; }")
        self.together(unnamed("struct One { int size() { return 1; } };"), unnamed("int size() { return 1; }"))
        self.together(unnamed("int one() { int two = 1; return two; }"), unnamed("int two() { return 2; }"))

    def test_what_other_files_define_of_a_class_is_not_a_name_of_theirs(self):
        self.together(unnamed("int one() { return 1; }"), "namespace fairway {\nint Pool::one() { return 1; }\n}")

    def test_the_same_alias_is_one(self):
        self.together("namespace a {\nusing k8s::View;\n}", "namespace a {\nusing k8s::View;\n}")
        self.apart("namespace a {\nusing k8s::View;\n}", "namespace a {\nusing graph::View;\n}")
        self.apart("namespace a {\nnamespace json = boost::json;\n}", "namespace a {\nnamespace json = fairway::json;\n}")

    def test_tests_of_one_suite_are_one(self):
        self.together(unnamed("TEST(Row, IsRead) { int a; }"), unnamed("TEST(Row, IsWritten) { int a; }"))

    def test_comments_and_strings_are_no_code(self):
        self.together(unnamed("int one() { return 1; }"), '// one()\n/* one() */ const char* a = "one() {"; const char* b = R"x(one() " { )x";')

    def test_a_file_may_ask_to_be_alone(self):
        self.apart("// Compiled alone: says why\n", "int b;")

    def test_a_group_has_a_greatest_size(self):
        names = [f"f{number}" for number in range(SIZE + 1)]
        self.assertEqual(grouped(**dict.fromkeys(names, "")), [names[:-1], names[-1:]])


if __name__ == "__main__":
    unittest.main()
