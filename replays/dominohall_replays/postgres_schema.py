"""The tables of the PostgreSQL store, and how they are brought up to date by several processes at once.

Names are kept as bytes (UTF-8): they sort the same under every locale of a server, and hold every character.
"""

from typing import TYPE_CHECKING, Final

from dominohall_replays.store import StoreUnavailable

if TYPE_CHECKING:
    from psycopg import Connection

MIGRATIONS: Final = (
    """
    CREATE TABLE entry (
        owner bytea NOT NULL,
        match_id bytea NOT NULL,
        sequence integer NOT NULL CHECK (sequence >= 0),
        previous bytea NOT NULL CHECK (length(previous) = 32),
        link bytea NOT NULL CHECK (length(link) = 32),
        data bytea NOT NULL,
        stored_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (owner, match_id, sequence)
    );
    -- A match is listed by its first entry.
    CREATE INDEX entry_match ON entry (owner, match_id) WHERE sequence = 0;

    -- What stays of a match whose log was moved to an archive.
    CREATE TABLE tombstone (
        owner bytea NOT NULL,
        match_id bytea NOT NULL,
        sequence integer NOT NULL CHECK (sequence >= 0),
        link bytea NOT NULL CHECK (length(link) = 32),
        segment text NOT NULL,
        log_offset bigint NOT NULL CHECK (log_offset >= 0),
        log_size bigint NOT NULL CHECK (log_size > 0),
        buried_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (owner, match_id)
    );
    CREATE INDEX tombstone_segment ON tombstone (segment);

    -- With the primary key this is the whole of "append only at the head": no gap, no fork, first writer wins, and no
    -- match begins again. The function looks with a snapshot of its own, so it sees the rows before it in a statement.
    CREATE FUNCTION entry_builds_on_head() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.sequence = 0 THEN
            IF EXISTS (SELECT 1 FROM tombstone t WHERE t.owner = NEW.owner AND t.match_id = NEW.match_id) THEN
                RAISE EXCEPTION 'the match is archived' USING ERRCODE = 'integrity_constraint_violation';
            END IF;
        ELSIF NOT EXISTS (
            SELECT 1 FROM entry e WHERE e.owner = NEW.owner AND e.match_id = NEW.match_id
            AND e.sequence = NEW.sequence - 1 AND e.link = NEW.previous
        ) THEN
            RAISE EXCEPTION 'not at the head' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER entry_builds_on_head BEFORE INSERT ON entry
        FOR EACH ROW EXECUTE FUNCTION entry_builds_on_head();

    CREATE FUNCTION entry_stands() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'entries are never changed' USING ERRCODE = 'integrity_constraint_violation';
    END $$;
    CREATE TRIGGER entry_stands BEFORE UPDATE ON entry FOR EACH ROW EXECUTE FUNCTION entry_stands();
    """,
)
"""Each brings the tables from the version of its place to the next; one that was released is never changed."""
VERSION: Final = len(MIGRATIONS)
LOCK: Final = 0x444F4D48
"""`DOMH`: the advisory lock that whoever migrates holds."""
MIGRATION_SECONDS: Final = 60
"""How long a process waits for another one that migrates, and a step may take."""


def migrate(connection: "Connection[tuple[object, ...]]") -> None:
    """Bring the tables up to date, once, whoever else tries at the same time; `StoreUnavailable` if they are newer.

    Nothing is written when they are up to date, so a process without the right to create tables can use them.
    """
    if _version(connection) == VERSION:
        return
    with connection.transaction():
        connection.execute(f"SET LOCAL statement_timeout = '{MIGRATION_SECONDS}s'")
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        connection.execute(
            "CREATE TABLE IF NOT EXISTS dominohall_version (version integer PRIMARY KEY,"
            " reached_at timestamptz NOT NULL DEFAULT now())"
        )
        version = VERSION - steps_due(connection)
        for number, statements in enumerate(MIGRATIONS[version:], version + 1):
            connection.execute(statements)
            connection.execute("INSERT INTO dominohall_version (version) VALUES (%s)", (number,))


def steps_due(connection: "Connection[tuple[object, ...]]") -> int:
    """Return how many steps the tables are behind this build; `StoreUnavailable` if they are ahead of it."""
    version = _version(connection)
    if version > VERSION:
        raise StoreUnavailable(
            f"expected tables of at most version {VERSION}, got {version}: a newer build made them, and only"
            " such a build can use them"
        )
    return VERSION - version


def _version(connection: "Connection[tuple[object, ...]]") -> int:
    """Return the version of the tables, 0 if there are none."""
    (there,) = connection.execute("SELECT to_regclass('dominohall_version') IS NOT NULL").fetchone() or (False,)
    if not there:
        return 0
    (version,) = connection.execute("SELECT coalesce(max(version), 0) FROM dominohall_version").fetchone() or (0,)
    return int(str(version))
