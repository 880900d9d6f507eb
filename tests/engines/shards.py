"""shards.py - two ClickHouse servers on the loopback interface that form one cluster.

They are made in a scratch folder, started, waited for with a limit, and stopped by their own
process ids; their logs are shown when something fails.
"""
import os
import shutil
import signal
import socket
import subprocess
import time

import setup

READY_SECONDS = 60
STOP_SECONDS = 20
CONFIG = """<yandex>
 <logger><level>warning</level><log>%(s)s/log/server.log</log>
  <errorlog>%(s)s/log/error.log</errorlog></logger>
 <listen_host>127.0.0.1</listen_host><interserver_http_host>127.0.0.1</interserver_http_host>
 <tcp_port>%(tcp)d</tcp_port><http_port>%(http)d</http_port>
 <interserver_http_port>%(inter)d</interserver_http_port>
 <path>%(s)s/data/</path><tmp_path>%(s)s/tmp/</tmp_path>
 <format_schema_path>%(s)s/fs/</format_schema_path>
 <users_config>%(s)s/users.xml</users_config><default_profile>default</default_profile>
 <default_database>default</default_database>
 <mark_cache_size>268435456</mark_cache_size><max_concurrent_queries>16</max_concurrent_queries>
 <remote_servers><rastrum>
  <shard><replica><host>127.0.0.1</host><port>%(first)d</port></replica></shard>
  <shard><replica><host>127.0.0.1</host><port>%(second)d</port></replica></shard>
 </rastrum></remote_servers>
</yandex>
"""
USERS = """<yandex>
 <profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
 <users><default><password></password><networks><ip>127.0.0.1</ip></networks>
  <profile>default</profile><quota>default</quota></default></users>
 <quotas><default><interval><duration>3600</duration><queries>0</queries><errors>0</errors>
  <result_rows>0</result_rows><read_rows>0</read_rows><execution_time>0</execution_time>
 </interval></default></quotas>
</yandex>
"""


class Failed(Exception):
    """What did not work, with the logs of the servers."""


def free_ports(count):
    """Ports that nothing listens on: this test may run twice at the same time."""
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


class Shards:
    def __init__(self, scratch):
        self.folders = [os.path.join(scratch, "shard%d" % n) for n in (1, 2)]
        self.servers = []
        ports = free_ports(6)
        self.ports = (ports[:3], ports[3:])

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, kind, error, trace):
        slow = self.stop()
        if slow and kind is None:
            raise Failed(slow)

    def start(self):
        for folder, (tcp, http, inter) in zip(self.folders, self.ports):
            for part in ("data", "tmp", "log", "fs"):
                os.makedirs(os.path.join(folder, part))
            names = {"s": folder, "tcp": tcp, "http": http, "inter": inter,
                     "first": self.ports[0][0], "second": self.ports[1][0]}
            for name, text in (("config.xml", CONFIG % names), ("users.xml", USERS)):
                with open(os.path.join(folder, name), "w", encoding="ascii") as out:
                    out.write(text)
            with open(os.path.join(folder, "log", "console"), "wb") as console:
                self.servers.append(subprocess.Popen(
                    [setup.find("clickhouse-server"), "--config-file=" + folder + "/config.xml"],
                    stdin=subprocess.DEVNULL, stdout=console, stderr=console, cwd=folder))
        deadline = time.monotonic() + READY_SECONDS
        for shard in (0, 1):
            self.wait(shard, deadline)

    def wait(self, shard, deadline):
        while True:
            if self.servers[shard].poll() is not None:
                raise Failed("server %d ended with exit status %d\n%s" % (
                    shard + 1, self.servers[shard].returncode, self.logs()))
            try:
                if self.ask(shard, "SELECT 1") == "1\n":
                    return
            except Failed:
                pass
            if time.monotonic() > deadline:
                raise Failed("server %d does not answer after %d s\n%s" % (
                    shard + 1, READY_SECONDS, self.logs()))
            time.sleep(0.1)

    def ask(self, shard, sql, data=None, seconds=120):
        """The answer of clickhouse-client; `data`, bytes or a file, is what an INSERT takes."""
        command = [setup.find("clickhouse-client"), "--host", "127.0.0.1", "--port",
                   str(self.ports[shard][0]), "--query", sql]
        given = {"stdin": data} if hasattr(data, "fileno") else {"input": data or b""}
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=seconds, **given)
        except subprocess.TimeoutExpired:
            raise Failed("%s: no answer in %d s\n%s" % (sql, seconds, self.logs())) from None
        if done.returncode:
            raise Failed("%s: exit status %d: %s" % (
                sql[:200], done.returncode, done.stderr.decode(errors="replace")[-1500:]))
        return done.stdout.decode(errors="replace")

    def logs(self):
        out = []
        for folder in self.folders:
            for name in ("console", "error.log"):
                try:
                    with open(os.path.join(folder, "log", name), errors="replace") as text:
                        out += ["%s: %s" % (os.path.basename(folder), line.rstrip())
                                for line in text.readlines()[-8:]]
                except OSError:
                    continue
        return "\n".join(out)

    def stop(self):
        """End both, remove their folders; what went wrong on the way, or None."""
        trouble = None
        for server in self.servers:
            if server.poll() is None:
                server.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        for server in self.servers:
            try:
                status = server.wait(max(0.1, deadline - time.monotonic()))
                if status:
                    trouble = "a server ended with exit status %d\n%s" % (status, self.logs())
            except subprocess.TimeoutExpired:
                trouble = "a server did not stop in %d s\n%s" % (STOP_SECONDS, self.logs())
                server.kill()
                server.wait()
        self.servers = []
        for folder in self.folders:
            shutil.rmtree(folder, ignore_errors=True)
        return trouble
