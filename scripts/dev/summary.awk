# SPDX-License-Identifier: Apache-2.0

# Reads one googletest result file (XML). Prints failed and skipped cases as "failed: TEST: WHY" and "skipped: TEST: WHY", and
# last "PASSED FAILED SKIPPED". Lines of a test's own output stand deeper in CDATA and never begin like these.
function attribute(line, key,   rest) {
  rest = line
  if (!sub(".* " key "=\"", "", rest)) return ""
  sub(/".*/, "", rest)
  gsub(/&#x0A;/, "\n", rest); gsub(/&quot;/, "\"", rest); gsub(/&lt;/, "<", rest)
  gsub(/&gt;/, ">", rest); gsub(/&apos;/, "'", rest); gsub(/&amp;/, "\\&", rest)
  return rest
}
/^    <testcase / {
  ran = !/ status="notrun"/
  name = $0; sub(/^    <testcase name="/, "", name); sub(/".*/, "", name)
  name = attribute($0, "classname") "." name
  total += ran; failure = 0
}
/^      <failure / && ran && !failure {
  failure = 1; failed++
  why = attribute($0, "message")
  sub(/^[^\n]*\//, "", why)  # the folder of the file
  gsub(/[\n ]+/, " ", why)
  # Of a long one what it begins and what it ends with: a program's output says last why it ended.
  if (length(why) > 1000) why = substr(why, 1, 300) " [...] " substr(why, length(why) - 690)
  print "failed: " name ": " why
}
/^      <skipped / && ran {
  skipped++
  why = attribute($0, "message")
  sub(/^[^\n]*\n/, "", why)  # the first line is file:line
  gsub(/\n+/, " ", why)
  print "skipped: " name ": " (why == "" ? "no reason given" : why)
}
END { print total - failed - skipped, failed + 0, skipped + 0 }
