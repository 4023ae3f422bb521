{{- /* One template for each kind of object in files/objects.json. Input: object, root. Output: YAML, or nothing. */ -}}

{{- define "overtone.print" -}}
{{- $_ := set .object.metadata "namespace" .root.Release.Namespace }}
{{- toYaml .object }}
{{- end }}

{{- /* A value as text; Helm reads whole numbers as floating point, and would write large ones with an exponent. */ -}}
{{- define "overtone.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}{{ int64 . }}{{ else }}{{ toString . }}{{ end }}
{{- end }}

{{- define "overtone.ServiceAccount" }}{{ include "overtone.print" . }}{{ end }}
{{- define "overtone.Service" }}{{ include "overtone.print" . }}{{ end }}

{{- define "overtone.PodDisruptionBudget" }}
{{- if .root.Values.podDisruptionBudgets.enabled }}{{ include "overtone.print" . }}{{ end }}
{{- end }}

{{- define "overtone.ConfigMap" -}}
{{- $values := .root.Values }}
{{- $name := trimPrefix "overtone-" .object.metadata.name }}
{{- $own := dict
  "common" (dict "NATS_URL" $values.nats.url "LOG_LEVEL" $values.logging.level "LOG_FORMAT" $values.logging.format
    "OTEL_EXPORTER_OTLP_ENDPOINT" $values.tracing.endpoint)
  "database" (dict "DB_POOL_SIZE" $values.postgresql.poolSize "DB_MAX_OVERFLOW" $values.postgresql.maxOverflow)
  "edge" (dict "TRUSTED_PROXIES" $values.ingress.trustedProxies)
  "objects" (dict "S3_ENDPOINT" $values.s3.endpoint "S3_BUCKET" $values.s3.bucket "S3_REGION" $values.s3.region)
  "search" (dict "ELASTICSEARCH_URL" $values.elasticsearch.url "ELASTICSEARCH_SHARDS" $values.elasticsearch.shards
    "ELASTICSEARCH_REPLICAS" $values.elasticsearch.replicas "ELASTICSEARCH_INDEX_PREFIX" $values.elasticsearch.indexPrefix)
}}
{{- range $key, $value := merge (dict) (get $values.config $name) (get $own $name) }}
{{- $_ := set $.object.data $key (include "overtone.text" $value) }}
{{- end }}
{{- include "overtone.print" . }}
{{- end }}

{{- /* Where an image of k8s/ is. Input: image, root. */ -}}
{{- define "overtone.image" -}}
{{- $image := .root.Values.image }}
{{- $name := regexReplaceAll "^overtone/([a-z-]+).*$" .image "${1}" }}
{{- if $image.registry }}{{ $image.registry }}/{{ end }}{{ $image.prefix }}/{{ $name }}:{{ default .root.Chart.AppVersion $image.tag }}
{{- end }}

{{- /* What all pods have in common: images, addresses of servers, pull secrets. Input: template (of the pod), root. */ -}}
{{- define "overtone.pod" -}}
{{- $root := .root }}
{{- $values := $root.Values }}
{{- $spec := .template.spec }}
{{- $container := first $spec.containers }}
{{- $labels := .template.metadata.labels }}
{{- $service := regexReplaceAll "^overtone/([a-z-]+).*$" $container.image "${1}" }}
{{- $env := default (list) $container.env }}
{{- if and $values.postgresql.address (get $labels "overtone/uses-database") }}
{{- $role := replace "-" "_" $service }}
{{- $secret := dict "name" "overtone-migrate" "key" (printf "DB_PASSWORD_%s" (upper $role)) }}
{{- if has $container.name (list "migrate" "tools") }}
{{- $role = $values.postgresql.owner }}
{{- $secret = dict "name" "overtone-postgres" "key" "POSTGRES_PASSWORD" }}
{{- end }}
{{- $parameters := ternary (printf "?%s" $values.postgresql.parameters) "" (not (empty $values.postgresql.parameters)) }}
{{- $url := printf "postgresql://%s:$(DB_PASSWORD)@%s/%s%s" $role $values.postgresql.address $values.postgresql.database $parameters }}
{{- $env = concat $env (list
  (dict "name" "DB_PASSWORD" "valueFrom" (dict "secretKeyRef" $secret))
  (dict "name" "DATABASE_URL" "value" $url)) }}
{{- end }}
{{- if and $values.redis.address (get $labels "overtone/uses-cache") }}
{{- $scheme := ternary "rediss" "redis" $values.redis.tls }}
{{- $env = concat $env (list
  (dict "name" "REDIS_PASSWORD" "valueFrom" (dict "secretKeyRef" (dict "name" "overtone-redis" "key" "REDIS_PASSWORD")))
  (dict "name" "REDIS_URL" "value" (printf "%s://:$(REDIS_PASSWORD)@%s/%v" $scheme $values.redis.address $values.redis.database))) }}
{{- end }}
{{- if get $labels "overtone/uses-search" }}
{{- with $values.elasticsearch.apiKeySecret }}{{ if .name }}
{{- $env = append $env (dict "name" "ELASTICSEARCH_API_KEY" "valueFrom" (dict "secretKeyRef" (dict "name" .name "key" .key))) }}
{{- end }}{{ end }}
{{- with $values.elasticsearch.caSecret }}{{ if .name }}
{{- $env = append $env (dict "name" "ELASTICSEARCH_CA_FILE" "value" (printf "/etc/elasticsearch-ca/%s" .key)) }}
{{- $_ := set $container "volumeMounts" (append $container.volumeMounts (dict "name" "elasticsearch-ca" "mountPath" "/etc/elasticsearch-ca" "readOnly" true)) }}
{{- $_ := set $spec "volumes" (append $spec.volumes (dict "name" "elasticsearch-ca" "secret" (dict "secretName" .name))) }}
{{- end }}{{ end }}
{{- end }}
{{- if $env }}{{ $_ := set $container "env" $env }}{{ end }}
{{- $_ := set $container "image" (include "overtone.image" (dict "image" $container.image "root" $root)) }}
{{- $_ := set $container "imagePullPolicy" $values.image.pullPolicy }}
{{- if $values.image.pullSecrets }}{{ $_ := set $spec "imagePullSecrets" $values.image.pullSecrets }}{{ end }}
{{- end }}

{{- /* A new name for each revision: a Job cannot be changed. */ -}}
{{- define "overtone.Job" -}}
{{- include "overtone.pod" (dict "template" .object.spec.template "root" .root) }}
{{- $_ := set .object.metadata "name" (printf "%s-%d" .object.metadata.name .root.Release.Revision) }}
{{- include "overtone.print" . }}
{{- end }}

{{- define "overtone.CronJob" -}}
{{- include "overtone.pod" (dict "template" .object.spec.jobTemplate.spec.template "root" .root) }}
{{- include "overtone.print" . }}
{{- end }}

{{- define "overtone.Deployment" -}}
{{- $root := .root }}
{{- $values := $root.Values }}
{{- $name := .object.metadata.name }}
{{- $own := default (dict) (get $values.services $name) }}
{{- $template := .object.spec.template }}
{{- $spec := $template.spec }}
{{- $container := first $spec.containers }}
{{- $image := $container.image }}
{{- include "overtone.pod" (dict "template" $template "root" $root) }}
{{- $isScaled := and (ne $values.scaling.kind "none") (hasKey $values.scaling.workers $name) }}
{{- if $isScaled }}{{ $_ := unset .object.spec "replicas" }}
{{- else }}{{ $_ := set .object.spec "replicas" (default $values.replicas $own.replicas) }}{{ end }}
{{- range $key, $value := $own.env }}
{{- $_ := set $container "env" (append $container.env (dict "name" $key "value" (include "overtone.text" $value))) }}
{{- end }}
{{- if $own.resources }}{{ $_ := set $container "resources" (mergeOverwrite $container.resources $own.resources) }}{{ end }}
{{- if hasSuffix "-gpu" $name }}{{ if $values.gpu.enabled }}
{{- $_ := set $container.resources.limits $values.gpu.resource (toString $values.gpu.count) }}
{{- $_ := set $container "image" (printf "%s%s" $container.image $values.gpu.imageSuffix) }}
{{- if $values.gpu.runtimeClassName }}{{ $_ := set $spec "runtimeClassName" $values.gpu.runtimeClassName }}{{ end }}
{{- if $values.gpu.nodeSelector }}{{ $_ := set $spec "nodeSelector" $values.gpu.nodeSelector }}{{ end }}
{{- if $values.gpu.tolerations }}{{ $_ := set $spec "tolerations" $values.gpu.tolerations }}{{ end }}
{{- end }}{{ end }}
{{- range $field := list "nodeSelector" "tolerations" "affinity" "priorityClassName" }}
{{- if get $own $field }}{{ $_ := set $spec $field (get $own $field) }}{{ end }}
{{- end }}
{{- /* New pods for new ConfigMaps. */ -}}
{{- $settings := list $values.config $values.logging $values.tracing $values.postgresql $values.nats $values.s3 $values.elasticsearch $values.ingress.trustedProxies }}
{{- $_ := set $template.metadata "annotations" (merge (dict "checksum/config" (toJson $settings | sha256sum)) (default (dict) $own.podAnnotations) $template.metadata.annotations) }}
{{- include "overtone.models" (dict "spec" $spec "root" $root "image" $image) }}
{{- include "overtone.print" . }}
{{- end }}

{{- /* The models of a worker: a shared volume, or a volume of the pod that is filled before the worker starts. */ -}}
{{- define "overtone.models" -}}
{{- $root := .root }}
{{- $models := $root.Values.models }}
{{- $spec := .spec }}
{{- range $volume := $spec.volumes }}
{{- if eq $volume.name "models" }}
{{- $_ := unset $volume "emptyDir" }}
{{- if eq $models.source "claim" }}
{{- $_ := set $volume "persistentVolumeClaim" (dict "claimName" (default "models" $models.claim.existing)) }}
{{- else }}
{{- $claim := dict "accessModes" (list "ReadWriteOnce") "resources" (dict "requests" (dict "storage" $models.pull.size)) }}
{{- if $models.pull.storageClass }}{{ $_ := set $claim "storageClassName" $models.pull.storageClass }}{{ end }}
{{- $_ := set $volume "ephemeral" (dict "volumeClaimTemplate" (dict "spec" $claim)) }}
{{- $container := first $spec.containers }}
{{- $pulls := list }}
{{- range $name := $models.pull.names }}
{{- $pulls = append $pulls (dict
  "name" (printf "pull-%s" ($name | lower | replace "." "-" | replace "_" "-" | trunc 50 | trimSuffix "-"))
  "image" (include "overtone.image" (dict "image" "overtone/operations" "root" $root))
  "imagePullPolicy" $root.Values.image.pullPolicy
  "command" (list "/usr/bin/tini" "--" "node" "/app/packages/cli/src/main.ts")
  "args" (list "models" "pull" $name "--accept-licence")
  "envFrom" $container.envFrom
  "env" (list (dict "name" "MODEL_CACHE_DIR" "value" "/models"))
  "resources" (dict "requests" (dict "cpu" "100m" "memory" "128Mi") "limits" (dict "memory" "768Mi"))
  "securityContext" $container.securityContext
  "volumeMounts" (list (dict "name" "tmp" "mountPath" "/tmp") (dict "name" "models" "mountPath" "/models"))) }}
{{- end }}
{{- $_ := set $spec "initContainers" $pulls }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "overtone.NetworkPolicy" -}}
{{- $values := .root.Values }}
{{- $name := .object.metadata.name }}
{{- $servers := dict "use-database" "postgresql" "use-bus" "nats" "use-cache" "redis" "use-objects" "s3" "use-search" "elasticsearch" }}
{{- with get $servers $name }}
{{- $network := (get $values .).network }}
{{- $_ := set $.object.spec "egress" (list (dict "to" $network.to "ports" (list (dict "port" (int $network.port) "protocol" "TCP")))) }}
{{- end }}
{{- if has $name (list "use-directories" "use-endpoints" "use-backups") }}
{{- range .object.spec.egress }}{{ $_ := set . "to" $values.networkPolicies.outside }}{{ end }}
{{- end }}
{{- if eq $name "send-traces" }}
{{- range .object.spec.egress }}{{ $_ := set . "to" $values.networkPolicies.collector }}{{ end }}
{{- end }}
{{- range $rule := .object.spec.ingress }}
{{- $port := (first $rule.ports).port | int }}
{{- if eq $port 9090 }}{{ $_ := set $rule "from" $values.networkPolicies.prometheus }}{{ end }}
{{- if and (eq $port 8080) (eq $name "edge-gateway") }}{{ $_ := set $rule "from" $values.ingress.from }}{{ end }}
{{- end }}
{{- if $values.networkPolicies.enabled }}{{ include "overtone.print" . }}{{ end }}
{{- end }}

{{- define "overtone.Ingress" -}}
{{- $ingress := .root.Values.ingress }}
{{- if has $ingress.kind (list "nginx" "traefik") }}
{{- $_ := set .object.spec "ingressClassName" (default $ingress.kind $ingress.className) }}
{{- $_ := set .object.spec "tls" (list (dict "hosts" (list $ingress.host) "secretName" $ingress.tlsSecret)) }}
{{- range .object.spec.rules }}{{ $_ := set . "host" $ingress.host }}{{ end }}
{{- /* Traefik streams bodies of any size; its timeouts are those of the entry point. */ -}}
{{- if eq $ingress.kind "traefik" }}
{{- $_ := set .object.metadata "annotations" (dict "traefik.ingress.kubernetes.io/router.entrypoints" "websecure" "traefik.ingress.kubernetes.io/router.tls" "true") }}
{{- end }}
{{- $_ := set .object.metadata "annotations" (merge (dict) $ingress.annotations .object.metadata.annotations) }}
{{- include "overtone.print" . }}
{{- end }}
{{- end }}

{{- define "overtone.PodMonitor" -}}
{{- $monitoring := .root.Values.monitoring }}
{{- range .object.spec.podMetricsEndpoints }}{{ $_ := set . "interval" $monitoring.interval }}{{ end }}
{{- $_ := set .object.metadata "labels" (merge (dict) $monitoring.labels .object.metadata.labels) }}
{{- if eq $monitoring.kind "PodMonitor" }}{{ include "overtone.print" . }}{{ end }}
{{- if eq $monitoring.kind "ServiceMonitor" }}
{{- $_ := set .object "kind" "ServiceMonitor" }}
{{- $_ := set .object.spec "endpoints" .object.spec.podMetricsEndpoints }}
{{- $_ := unset .object.spec "podMetricsEndpoints" }}
{{- $_ := set .object.spec "selector" (dict "matchLabels" (dict "app.kubernetes.io/name" "metrics" "app.kubernetes.io/part-of" "overtone")) }}
{{- include "overtone.print" . }}
{{- end }}
{{- end }}

{{- /* A horizontal pod autoscaler has the same limits and thresholds; it cannot scale to zero. */ -}}
{{- define "overtone.ScaledObject" -}}
{{- $scaling := .root.Values.scaling }}
{{- $limits := get $scaling.workers .object.metadata.name }}
{{- if and $limits (eq $scaling.kind "keda") }}
{{- $_ := set .object.spec "minReplicaCount" (int $limits.min) }}
{{- $_ := set .object.spec "maxReplicaCount" (int $limits.max) }}
{{- range .object.spec.triggers }}{{ $_ := set .metadata "serverAddress" $scaling.prometheus }}{{ end }}
{{- include "overtone.print" . }}
{{- end }}
{{- if and $limits (eq $scaling.kind "hpa") }}
{{- $metrics := list }}
{{- range .object.spec.triggers }}
{{- $queue := regexReplaceAll "^.*queue=\"([a-z]+)\".*$" .metadata.query "${1}" }}
{{- $metrics = append $metrics (dict "type" "External" "external" (dict
  "metric" (dict "name" "overtone_queue_tasks" "selector" (dict "matchLabels" (dict "queue" $queue)))
  "target" (dict "type" "AverageValue" "averageValue" .metadata.threshold))) }}
{{- end }}
{{- $spec := dict
  "scaleTargetRef" (dict "apiVersion" "apps/v1" "kind" "Deployment" "name" .object.spec.scaleTargetRef.name)
  "minReplicas" (max 1 (int $limits.min)) "maxReplicas" (int $limits.max) "metrics" $metrics }}
{{- include "overtone.print" (dict "root" .root "object" (dict
  "apiVersion" "autoscaling/v2" "kind" "HorizontalPodAutoscaler" "metadata" .object.metadata "spec" $spec)) }}
{{- end }}
{{- end }}
