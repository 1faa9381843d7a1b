import pytest
from tests.rows import each_row

from nightledger.text.code.audit import audit
from nightledger.text.code.rule import CodeSeverity


def rules(text: str) -> set[str]:
    return {finding.rule for finding in audit(text, "python").findings}


@each_row(
    ("text", "rule"),
    [
        ("db.execute(\"ATTACH DATABASE '/home/ada/.config/autostart/a.desktop' AS x\")", "code.startup"),
        ("db.executescript(\"attach '/etc/cron.d/a' as x; create table x.t (v)\")", "code.startup"),
        ("db.execute('ATTACH ? AS x', ('/etc/cron.d/a',))", "code.startup"),
        ("db.execute(\"VACUUM INTO '/home/ada/.bashrc'\")", "code.startup"),
        ("db.execute(\"vacuum main into '/srv/app/index.php'\")", "code.write"),
        ("cur.execute(\"SELECT 1 INTO OUTFILE '/srv/a.php'\")", "code.write"),
        ("duckdb.sql(\"COPY (SELECT 1) TO '/srv/a.sh'\")", "code.write"),
        ("cur.execute(\"SELECT lo_export(1, '/srv/a.so')\")", "code.write"),
        ("cur.execute(\"COPY t FROM PROGRAM 'id'\")", "code.process"),
        ("cur.execute(\"EXEC xp_cmdshell 'id'\")", "code.process"),
        ("db.execute(\"SELECT load_extension('/tmp/a.so')\")", "code.native"),
        ("duckdb.sql(\"LOAD '/tmp/a.duckdb_extension'\")", "code.native"),
    ],
)
def test_sql_that_writes_files_or_runs_something_is_found(text: str, rule: str) -> None:
    assert rule in rules(text)


@pytest.mark.parametrize(
    "text",
    [
        "db.execute(\"ATTACH DATABASE 'old.db' AS old\")",
        "db.execute('ATTACH DATABASE ? AS old', ('old.db', 1))",
        "db.execute('ATTACH DATABASE :place AS old', {'place': x})",
        "db.execute('ATTACH DATABASE ? AS old')",
        "db.execute(\"VACUUM INTO 'backup.db'\")",
        "duckdb.sql(\"COPY (SELECT * FROM 'a.csv') TO 'b.parquet' (FORMAT parquet)\")",
        "duckdb.sql('INSTALL httpfs; LOAD httpfs;')",
        "cur.execute('INSERT INTO seen VALUES (?, ?)', ('/etc/hosts', 'x'))",
        "cur.execute('SELECT copy FROM a')",
        "execute(\"VACUUM INTO '/home/ada/.bashrc'\")",
    ],
)
def test_sql_about_rows_and_databases_is_spared(text: str) -> None:
    assert audit(text, "python").clean, audit(text, "python").findings


@each_row(
    "text",
    [
        "cur.execute('DROP TABLE users')",
        "cur.execute(f'drop table \"{name}\" cascade')",
        "db.executescript('create table a (b); Drop Database shop;')",
        "cur.execute('TRUNCATE TABLE orders')",
        "cur.execute('truncate orders, lines')",
        "cur.execute('DELETE FROM orders')",
        "cur.execute('delete from orders; -- where id = 1')",
        "cur.execute('/* tidy */ delete from orders where 1 = 1')",
        "from sqlalchemy import text\nc.execute(text('delete from orders;'))",
        "from psycopg2 import sql\nc.execute(sql.SQL('truncate {}').format(sql.Identifier(n)))",
        "import sqlite3\ndb = sqlite3.connect('shop.db')\ndb.execute('drop table orders')",
        "Base.metadata.drop_all(engine)",
        "client.drop_database('shop')",
        "r.flushall()",
    ],
)
def test_what_leaves_nothing_of_a_table_is_found(text: str) -> None:
    found = [f for f in audit(text, "python").findings if f.rule == "code.delete"]
    assert [f.severity for f in found] == [CodeSeverity.MEDIUM]


@each_row(
    "text",
    [
        "cur.execute('delete from orders where id = ?', (1,))",
        "cur.execute('DELETE FROM orders USING old WHERE old.id = orders.id')",
        "cur.execute(f'delete from orders {which}')",
        "cur.execute(\"select 'x; drop table orders'\")",
        "cur.execute('select 1 -- ; drop table orders')",
        "cur.execute('select truncate(price, 2) from orders')",
        "cur.execute('drop index by_name')",
        "cur.execute(query(), *more)",
        "cur.execute(text())",
        "print('drop table orders')",
        "import sqlite3\ndb = sqlite3.connect(':memory:')\ndb.execute('drop table a')",
        "import sqlite3\nwith sqlite3.connect(':memory:') as db:\n    db.cursor().execute('delete from a')",
        "import sqlite3\ndef test(tmp_path):\n    sqlite3.connect(tmp_path / 'a.db').execute('drop table a')",
        "class Box:\n    def drop_all(self): ...\nBox().drop_all()",
        "frame.drop(columns=['a'])",
    ],
)
def test_what_leaves_rows_or_is_scratch_is_spared(text: str) -> None:
    assert audit(text, "python").clean, audit(text, "python").findings


@pytest.mark.slow
def test_a_query_is_read_once_however_many_calls_are_given_it() -> None:
    calls = "db.execute(query)\n" * 3_000
    code = f"import sqlite3\ndb = sqlite3.connect(':memory:')\nquery = '{'/* ' * 6_000}'\n{calls}"
    assert rules(code) == set()
