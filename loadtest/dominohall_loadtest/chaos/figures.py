"""What a run says of itself."""

from dataclasses import asdict, dataclass, field

from dominohall_loadtest.chaos.checking import Fault, Finding

SHOWN: int = 20


@dataclass
class Figures:
    """The counts of a run. It held if nothing was found."""

    store: str = ""
    transport: str = "grpcio"
    disk: str = ""
    seconds: float = 0.0
    servers: int = 0
    hosts: int = 0
    matches: int = 0
    finished: int = 0
    """Matches that were played to their end; the others ended with the run."""
    raced: int = 0
    """Matches that two hosts played against each other's replies."""
    moves: int = 0
    """Different moves that were acknowledged."""
    calls: int = 0
    """Calls that reached the proxy, with the repeated ones."""
    retries: int = 0
    forks: int = 0
    """Races lost, each told to its loser."""
    kills: int = 0
    cut_before: int = 0
    cut_after: int = 0
    dropped_replies: int = 0
    database_restarts: int = 0
    disk_fillings: int = 0
    findings: list[Finding] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """What hosts or servers met that none should meet: replies that break the chain, unforeseen errors."""

    @property
    def held(self) -> bool:
        """Say whether everything was as it must be."""
        return not self.findings and not self.faults

    def count(self, fault: Fault) -> int:
        """Return how often a fault was found."""
        return sum(finding.fault is fault for finding in self.findings)

    def to_json(self) -> dict[str, object]:
        """Return everything as plain values."""
        plain = asdict(self)
        plain["findings"] = [[str(fault), match_id, what] for fault, match_id, what in self.findings]
        return plain | {str(fault): self.count(fault) for fault in Fault} | {"held": self.held}

    def __str__(self) -> str:
        rows = [
            ("store", f"{self.store}, {self.hosts} hosts, {self.seconds:.0f} s of chaos"),
            ("servers", f"{self.servers}, transport {self.transport}"),
            ("matches", f"{self.matches} ({self.finished} played to their end, {self.raced} raced by two hosts)"),
            ("moves acknowledged", f"{self.moves} in {self.calls} calls, of which {self.retries} repeated"),
            ("races lost and told so", str(self.forks)),
            ("servers killed", str(self.kills)),
            ("cut before the request", str(self.cut_before)),
            ("cut before the reply", str(self.cut_after)),
            ("replies dropped", str(self.dropped_replies)),
            ("database restarts", str(self.database_restarts)),
            ("disk fillings", f"{self.disk_fillings}" + (f" ({self.disk})" if self.disk else "")),
            *((str(fault), str(self.count(fault))) for fault in Fault),
            ("other faults", str(len(self.faults))),
        ]
        lines = [f"{name:<24}{value}" for name, value in rows]
        lines += [f"  {fault} in {match_id}: {what}" for fault, match_id, what in self.findings[:SHOWN]]
        lines += [f"  {what}" for what in self.faults[:SHOWN]]
        return "\n".join([*lines, "everything held" if self.held else "NOT EVERYTHING HELD"])
