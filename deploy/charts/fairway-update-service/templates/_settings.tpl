{{- /*
The settings file. What the manifests depend on, ports and folders, is not a value. A line is a key, and its value as JSON, which is TOML
too for texts, numbers, flags and lists of these.
*/}}
{{- define "fairway.settings" -}}
[serve]
{{- $own := dict
  "listen" ":8080"
  "status-listen" ":9080"
  "data" "/var/lib/fairway"
  "peers" (list "fairway-updates-peers:9081")
  "peer-listen" ":9081"
  "peer-token-file" "/etc/fairway-peers/token"
}}
{{- range $key, $value := merge $own .Values.settings }}
{{ $key }} = {{ toJson $value }}
{{- end }}
{{- end }}
