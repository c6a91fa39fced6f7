# Sourced by scripts/test-buckets: runs Ceph's gateway on this machine alone, with everything in memory.

# ceph_gateway PORT: starts the gateway, creates the bucket "test", and sets the credentials. Ends with the shell.
ceph_gateway() {
  local folder port="$1" osd
  if ! command -v radosgw >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends radosgw ceph-mon ceph-mgr ceph-osd ceph-common >/dev/null
  fi
  folder="$(mktemp -d)"
  export CEPH_CONF="$folder/ceph.conf"
  ceph_settings "$folder" "$port" >"$CEPH_CONF"
  mkdir "$folder"/{mon,mgr,osd,run,log}
  monmaptool --create --clobber --fsid "$(sed -n 's/^fsid = //p' "$CEPH_CONF")" --addv a '[v1:127.0.0.1:16789]' "$folder/monmap" >/dev/null
  ceph-mon --mkfs -i a --monmap "$folder/monmap" --mon-data "$folder/mon"
  ceph-mon -f -i a --mon-data "$folder/mon" >/dev/null 2>&1 &
  ceph-mgr -f -i x >/dev/null 2>&1 &
  osd="$(cat /proc/sys/kernel/random/uuid)"
  timeout 60 ceph osd new "$osd" >/dev/null
  ceph-osd -i 0 --mkfs --osd-uuid "$osd" --osd-data "$folder/osd" 2>/dev/null
  # The store ends if it asks the monitor for something before it has its map.
  (until ceph-osd -f -i 0 --osd-data "$folder/osd" >/dev/null 2>&1; do sleep 1; done) &
  radosgw -f -n client.rgw >/dev/null 2>&1 &
  timeout 120 radosgw-admin user create --uid=test --display-name=test --access-key=test --secret=test >/dev/null 2>&1
  "$python/bin/python" - "$port" <<'PYTHON'
import sys, time
import boto3, botocore.exceptions

client = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{sys.argv[1]}", region_name="us-east-1")
for _ in range(120):
    try:
        sys.exit(client.create_bucket(Bucket="test") and 0)
    except (botocore.exceptions.EndpointConnectionError, botocore.exceptions.ConnectionClosedError):
        time.sleep(0.5)
sys.exit("the gateway does not answer")
PYTHON
}

# ceph_settings FOLDER PORT: one monitor, one store in memory, no copies, no authentication between the parts.
ceph_settings() {
  cat <<SETTINGS
[global]
fsid = $(cat /proc/sys/kernel/random/uuid)
mon initial members = a
mon host = [v1:127.0.0.1:16789]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pgp num = 8
osd crush chooseleaf type = 0
mon allow pool size one = true
mon warn on pool no redundancy = false
run dir = $1/run
admin socket = $1/run/\$name.asok
log file = $1/log/\$name.log
pid file = $1/run/\$name.pid
osd objectstore = memstore
memstore device bytes = 1073741824
osd class load list = *
osd class default list = *
osd data = $1/osd
mon data = $1/mon
mgr data = $1/mgr
mgr modules =
mgr initial modules =
ms bind ipv6 = false
rgw frontends = beast endpoint=127.0.0.1:$2
rgw enable usage log = false
rgw enable ops log = false
SETTINGS
}
