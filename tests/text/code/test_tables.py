import pytest
from tests.rows import each_row

from nightledger.text.code.audit import audit


def found(code: str) -> list[tuple[str, str]]:
    return [(finding.rule, finding.what) for finding in audit(code, "python").findings]


EMPTYING = [
    "Session.objects.all().delete()",
    "rows = User.objects.all()\nrows.delete()",
    "User.objects.using('other').all().delete()",
    "session.query(User).delete()",
    "User.query.delete(synchronize_session=False)",
    "from sqlalchemy import delete\nsession.execute(delete(User))",
    "User.delete().execute()",
    "db.users.delete_many({})",
    "op.drop_table('users')",
    "User.truncate_table()",
    "redis.flushall()",
    "Base.metadata.drop_all(create_engine('postgresql://db.example.org/app'))",
    "frame.to_sql('users', engine, if_exists='replace')",
    "frame.write_database('users', uri, if_table_exists='replace')",
    "frame.write.mode('overwrite').saveAsTable('users')",
    "frame.write.insertInto('users', overwrite=True)",
    "frame.write.jdbc(url, 'users', mode='overwrite')",
    "write_pandas(connection, frame, 'users')\nframe.write_pandas('users', overwrite=True)",
]
CHOOSING = [
    "Session.objects.filter(expired=True).delete()",
    "old = User.objects.exclude(active=True)\nold.delete()",
    "session.query(User).filter_by(id=1).delete()",
    "from sqlalchemy import delete\nsession.execute(delete(User).where(User.id == 1))",
    "from sqlalchemy import delete\nstatement = delete(User)",
    "User.delete().where(User.id == 1).execute()",
    "User.objects.get(id=1).delete()",
    "user.delete()",
    "db.users.delete_many({'old': True})",
    "delete(row)",
    "cache.delete('key')",
    "frame.to_sql('users', engine, if_exists='append')",
    "frame.to_sql('users', engine)",
    "frame.write.mode('append').saveAsTable('users')",
    "frame.write.mode('overwrite').parquet('out')",
    "def drop_table(name): ...\nself.drop_table('a')",
]
SCRATCH = [
    "engine = create_engine('sqlite:///:memory:')\nBase.metadata.drop_all(engine)",
    "engine = create_engine('sqlite://')\nBase.metadata.drop_all(bind=engine)",
    "db = SqliteDatabase(':memory:')\ndb.drop_tables([User])",
    "import sqlite3\ncon = sqlite3.connect('file::memory:?cache=shared', uri=True)\ncon.execute('drop table a')",
    "def test(tmp_path):\n    engine = create_engine(f'sqlite:///{tmp_path}/a.db')\n    Base.metadata.drop_all(engine)",
    "import sqlite3\nframe.to_sql('a', sqlite3.connect('scores.db'), if_exists='replace')",
    "engine = create_engine('sqlite:///scores.db')\nframe.to_sql('a', con=engine, if_exists='replace')",
]


@each_row("code", EMPTYING)
def test_what_leaves_nothing_of_a_table_is_found(code: str) -> None:
    assert [rule for rule, _ in found(code)] == ["code.delete"]


@each_row("code", CHOOSING)
def test_what_chooses_rows_or_adds_to_them_is_none(code: str) -> None:
    assert found(code) == []


@pytest.mark.parametrize("code", SCRATCH)
def test_a_database_of_its_own_is_left_out(code: str) -> None:
    assert found(code) == []


def test_emptying_a_database_beside_the_work_is_found_and_replacing_one_table_of_it_is_not() -> None:
    made = "engine = create_engine('sqlite:///scores.db')\n"
    assert found(f"{made}Base.metadata.drop_all(engine)") == [("code.delete", "drop_all")]
    assert found("frame.to_sql('a', create_engine('sqlite:////srv/app.db'), if_exists='replace')") != []


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("'flush', interactive=False", "code.delete"),
        ("'reset_db'", "code.delete"),
        ("'dbshell'", "code.process"),
        ("command_name='shell'", "code.run"),
        ("'check'", ""),
        ("'migrate'", ""),
        ("name", ""),
    ],
)
def test_commands_of_django_are_told_by_their_names(words: str, rule: str) -> None:
    code = f"from django.core.management import call_command\ncall_command({words})"
    assert [one for one, _ in found(code)] == [rule] * bool(rule)


def test_a_command_line_of_django_is_read_too() -> None:
    head = "from django.core.management import execute_from_command_line as run\n"
    assert found(f"{head}run(['manage.py', 'flush'])") == [("code.delete", "a command of Django")]
    assert found(f"{head}run(['manage.py', 'check'])") == []
    assert found("call_command('flush')") == []
