// SPDX-License-Identifier: Apache-2.0

// Text in roff, the language of manual pages.
#pragma once

#include <string>
#include <string_view>

namespace fairway::cli {

/// Returns a text escaped, so that it is shown as it is and can be copied: roff has typographic forms of
/// dashes and quotes. It may stand anywhere but at the beginning of a line.
std::string roff(std::string_view text);
/// Returns a text escaped, in bold letters.
std::string roff_bold(std::string_view text);
/// Returns a text escaped, in italics.
std::string roff_italic(std::string_view text);
/// Returns a paragraph escaped, and folded into lines of the page's source.
std::string roff_paragraph(std::string_view text);
/// Returns a section with this title, which roff_paragraph and the like may follow.
std::string roff_section(std::string_view title);
/// Returns the title of a part of a section.
std::string roff_subsection(std::string_view title);
/// Returns an entry of a list: a term, which is roff already, and a text about it.
std::string roff_entry(std::string_view term, std::string_view text);
/// Returns lines to be shown as they are, indented.
std::string roff_example(std::string_view lines);

}  // namespace fairway::cli
