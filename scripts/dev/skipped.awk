# SPDX-License-Identifier: Apache-2.0

# Reads lines "skipped: TEST: WHY" and prints each reason once, with the tests below it.
{
  line = substr($0, length("skipped: ") + 1)
  at = index(line, ": ")
  test = substr(line, 1, at - 1); why = substr(line, at + 2)
  if (!(why in tests)) order[++reasons] = why
  tests[why] = tests[why] "\n  " test; count[why]++
}
END {
  for (i = 1; i <= reasons; i++) print "skipped, " count[order[i]] (count[order[i]] == 1 ? " test: " : " tests: ") order[i] tests[order[i]]
}
