/** Plans that names which look alike are refused: by a unique index, or by a trigger while present names look alike. */
import { quoted as q } from '../filter/sql.ts'
import { createIndex, dropIndex } from './ddl.ts'
import type { Questions } from './future-rows.ts'
import { type Circumstances, isSettled, type Pair } from './pair.ts'
import { GUARD_MARK, quoteText } from './sql-name.ts'
import { type Command, changing, type Step, statementsOf, tidying } from './step.ts'
import type { TableIndex } from './table.ts'

const FUNCTION = 'plinth_guard_names'

/**
 * Refuses a row whose names another row has. The index with the name of the trigger says which columns and rows: it
 * follows its columns through renames. A query in it sees what others have committed meanwhile.
 */
const BODY = `declare names text; live text; equal text; key text; before text; after text; taken boolean;
begin
  select string_agg(d.def, ', ' order by n), max(coalesce(pg_get_expr(x.indpred, x.indrelid), 'true')),
      string_agg(format('(%s) = (select %s from (select ($1).*) n)', d.def, d.def), ' and ')
    into names, live, equal
    from pg_index x join pg_class c on c.oid = x.indexrelid cross join generate_series(1, x.indnkeyatts) n
      cross join lateral (select pg_get_indexdef(x.indexrelid, n, true) as def) d
    where x.indrelid = tg_relid and c.relname = tg_argv[0];
  if names is null then return new; end if;
  names := format('select row(%s)::text from (select ($1).*) n where (%s) and row(%s) is not null', names, live, names);
  execute names into after using new;
  if tg_op = 'UPDATE' then execute names into before using old; end if;
  if after is null or after is not distinct from before then return new; end if;
  perform pg_advisory_xact_lock(hashtextextended(tg_argv[0] || after, 0));
  select a.attname into key from pg_index x join pg_attribute a on a.attrelid = tg_relid and a.attnum = x.indkey[0]
    where x.indrelid = tg_relid and x.indisprimary;
  execute format('select exists (select 1 from %s where (%s) and %s and %I is distinct from ($1).%I)',
    tg_relid::regclass, live, equal, key, key) into taken using new;
  if taken then
    raise unique_violation using message = format('duplicate key value violates unique constraint "%s"', tg_argv[0]),
      constraint = tg_argv[0], table = tg_table_name;
  end if;
  return new;
end`

function makeGuard(table: string, index: string): Command {
  const name = q(index)
  return {
    together: [
      `create or replace function ${FUNCTION}() returns trigger language plpgsql as ${quoteText(BODY)}`,
      `create or replace trigger ${name} before insert or update on ${q(table)} for each row execute function ${FUNCTION}(${quoteText(index)})`,
      `comment on trigger ${name} on ${q(table)} is ${quoteText(GUARD_MARK)}`,
    ],
  }
}

function dropGuard(table: string, index: string): string {
  return `drop trigger if exists ${q(index)} on ${q(table)}`
}

/** The step that makes a unique index of names: it waits for rows that look alike, which stay until then. */
export function refusingAlike(step: Step, { wanted }: Pair, { name }: TableIndex, question: Questions): Step {
  const { work } = step
  const after = [dropGuard(wanted.name, name)]
  return {
    ...step,
    work: work.kind === 'prepared' ? { ...work, after } : { kind: 'harmful', sql: statementsOf(step), after },
    concern: {
      kind: 'waiting',
      ...question,
      consequence: 'have values that look like those of others; they stay, and new ones are refused',
      advice: 'make them different, or write `unique: exact` where every sign counts',
    },
  }
}

/** The step that refuses new ones while rows look alike: under a lock, by a trigger and an index that is not unique. */
export function guardingNames(
  pair: Pair,
  index: TableIndex,
  { concurrently, present }: Circumstances,
  question: Questions | undefined,
): readonly Step[] {
  const { wanted, actual } = pair
  const isThere = actual.indexes.some((one) => one.name === index.name)
  const isGuarded = isThere && present.guards?.get(actual.name)?.includes(index.name) === true
  if (index.kind !== 'looks' || !index.unique || question === undefined || isGuarded) return []
  const sql = [
    ...createIndex(wanted.name, { ...index, unique: false }, concurrently),
    makeGuard(wanted.name, index.name),
  ]
  const settled = isSettled(pair, [...index.columns, ...(index.whereColumns ?? [])])
  const undo = [dropGuard(wanted.name, index.name), dropIndex(wanted.name, index, concurrently)]
  const step: Step = {
    ...changing(`refuse new values in ${wanted.name} (${index.columns.join(', ')}) that look like those of others`),
    about: { table: wanted.name, column: index.columns[0] ?? '' },
    work: settled ? { kind: 'prepared', ahead: sql, undo, sql: [] } : { kind: 'harmful', sql },
    concern: { kind: 'counted', question: question.question, onlyWithRows: true },
  }
  return [step]
}

/** Drops guards that no index of the YAML needs any more. */
export function leftGuards({ actual, wanted }: Pair, { present }: Circumstances): readonly Step[] {
  const left = (present.guards?.get(actual.name) ?? []).filter(
    (name) => !wanted.indexes.some((one) => one.name === name),
  )
  return left.map((name) =>
    tidying(`refuse values in ${wanted.name} no longer by ${name}`, dropGuard(wanted.name, name)),
  )
}
