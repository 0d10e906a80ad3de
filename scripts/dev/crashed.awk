# SPDX-License-Identifier: Apache-2.0

# Reads CTest's log (Testing/Temporary/LastTest.log) for the test `module`. Prints on one line the case that ran when its
# program ended, and what a sanitizer, an assertion or the loader said of it: the report of a crash, where a log is cut.
/^[0-9]+\/[0-9]+ Testing: / { own = $NF == module; next }
!own { next }
/^\[ RUN      \] / { running = $4; said = ""; frames = 0; next }
/^\[ +(OK|FAILED|SKIPPED) +\] / { running = ""; next }
/runtime error: |ERROR: [A-Za-z]+Sanitizer|SUMMARY: |WARNING: ThreadSanitizer|terminate called|what\(\): |Assertion |DEADLYSIGNAL|Check failed|CHECK failed/ {
  if (length(said) < 600) said = said " " $0
  next
}
# The frames of the first stack: function and place, without address and folders.
/^ +#[0-9]+ 0x/ && frames < 12 {
  frame = $0; frames++
  sub(/^ +#[0-9]+ 0x[0-9a-f]+ (in )?/, "", frame); sub(/ [^ ]*\//, " ", frame)
  said = said " < " substr(frame, 1, 90)
}
END {
  gsub(/[\t ]+/, " ", said)
  if (running != "" || said != "") print (running != "" ? "in " running : "after its cases") ":" (said != "" ? said : " it said nothing")
}
