/** Reads the tables of a database ⇄ into the same shape that the catalog gives. */
import type { Row, Runner } from '../database/database.ts'
import { canonicalDefault } from './ddl.ts'
import { removedName } from './names/kept-names.ts'
import { type Made, readRecord } from './own/migrations.ts'
import { asideOrder, GUARD_MARK, isConverting, MARK } from './sql-name.ts'
import type {
  Column,
  Dependents,
  ForeignKey,
  HiddenTrigrams,
  Names,
  Present,
  Sequence,
  SetAside,
  Table,
  TableIndex,
} from './table.ts'

const COLUMNS = `select c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
    a.attnotnull or t.typtype = 'd' and (with recursive u as (
      select t.typbasetype as type, t.typnotnull as required union all
      select o.typbasetype, o.typnotnull from u join pg_type o on o.oid = u.type and o.typtype = 'd')
      select bool_or(u.required) from u),
    pg_get_expr(d.adbin, d.adrelid), a.attidentity <> '', a.attgenerated,
    case when a.attgenerated <> '' then col_description(c.oid, a.attnum) end,
    case when t.typtype = 'd' then (with recursive u as (
      select t.typbasetype as type, t.typtypmod as modifier union all
      select o.typbasetype, o.typtypmod from u join pg_type o on o.oid = u.type and o.typtype = 'd')
      select format_type(u.type, u.modifier) from u join pg_type o on o.oid = u.type where o.typtype <> 'd') end,
    a.attnum,
    case when a.attgenerated <> '' then (select json_agg(s.attname order by s.attnum)::text
      from pg_depend e join pg_attribute s on s.attrelid = e.refobjid and s.attnum = e.refobjsubid
      where e.classid = 'pg_attrdef'::regclass and e.objid = d.oid and e.refclassid = 'pg_class'::regclass
        and e.refobjid = c.oid and e.refobjsubid <> a.attnum) end,
    c.relkind
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and ($1::text[] is null or c.relname = any($1)) order by c.relname, a.attnum`

const PRIMARY_KEYS = `select c.relname, a.attname from pg_constraint k join pg_class c on c.oid = k.conrelid
  cross join unnest(k.conkey) with ordinality as u(attnum, position)
  join pg_attribute a on a.attrelid = c.oid and a.attnum = u.attnum
  where k.contype = 'p' and c.relnamespace = current_schema()::regnamespace order by c.relname, u.position`

/** Where there is no primary key. */
const OTHER_KEYS = `select c.relname, (select json_agg(a.attname order by u.position)::text from unnest(x.indkey::int2[]) with ordinality as u(attnum, position)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = u.attnum)
  from pg_index x join pg_class c on c.oid = x.indrelid
  where c.relnamespace = current_schema()::regnamespace and x.indisunique and x.indisvalid and x.indpred is null and x.indexprs is null
    and not exists (select 1 from pg_index p where p.indrelid = c.oid and p.indisprimary)
    and not exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attnum = any(x.indkey::int2[]) and not a.attnotnull)
  order by c.relname, x.indexrelid`

/** The kinds of what holds no rows of this schema itself. */
const VIEWS = ['v', 'm', 'f']

/** One that was added and not checked yet is none: the step that makes it is not done. */
const FOREIGN_KEYS = `select c.relname, a.attname, f.relname,
    case k.confdeltype when 'c' then 'cascade' when 'n' then 'set_null' else 'restrict' end
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class f on f.oid = k.confrelid
  join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
  where k.contype = 'f' and cardinality(k.conkey) = 1
    and (k.convalidated or k.conname <> left(c.relname || '_' || a.attname || '_fkey', 63)) and c.relnamespace = current_schema()::regnamespace
  order by c.relname, a.attnum, k.conname`

/**
 * Nothing is asked for each index alone: an application has thousands. Its columns are numbers, 0 for an expression.
 */
const INDEXES = `select t.relname, i.relname, m.amname, x.indisunique, x.indisvalid, d.description, x.indkey,
    pg_get_expr(x.indexprs, x.indrelid)
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid join pg_am m on m.oid = i.relam
  left join pg_description d on d.objoid = i.oid and d.classoid = 'pg_class'::regclass and d.objsubid = 0
  where t.relnamespace = current_schema()::regnamespace and not x.indisprimary order by t.relname, i.relname`

const CHECKS = `select t.relname, k.conname from pg_constraint k join pg_class t on t.oid = k.conrelid
  where k.contype = 'c' and k.conname ~ '_(required|fits)$' and t.relnamespace = current_schema()::regnamespace order by 1, 2`

const FILLINGS = `select t.relname, g.tgname from pg_trigger g join pg_class t on t.oid = g.tgrelid
  where not g.tgisinternal and obj_description(g.oid, 'pg_trigger') = '${MARK}' and t.relnamespace = current_schema()::regnamespace order by 1, 2`

const GUARDS = `select t.relname, g.tgname from pg_trigger g join pg_class t on t.oid = g.tgrelid
  where not g.tgisinternal and obj_description(g.oid, 'pg_trigger') = '${GUARD_MARK}' and t.relnamespace = current_schema()::regnamespace order by 1, 2`

const SEQUENCES = `select s.relname, q.seqstart from pg_sequence q join pg_class s on s.oid = q.seqrelid
  where s.relnamespace = current_schema()::regnamespace order by s.relname`

function textAt(row: Row, index: number): string {
  return row[index] ?? ''
}

function grouped<T>(rows: readonly Row[], read: (row: Row) => T): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const table = textAt(row, 0)
    const group = groups.get(table)
    if (group) group.push(read(row))
    else groups.set(table, [read(row)])
  }
  return groups
}

function columnOf(row: Row): Column {
  const type = textAt(row, 2)
  const isComputed = row[6] !== ''
  const over = typeof row[10] === 'string' ? { over: JSON.parse(row[10]) as readonly string[] } : {}
  const generated = isComputed ? { generated: (row[7] ?? '').replace(`${MARK}: `, ''), ...over } : {}
  const printed = isComputed ? undefined : row[4]
  return {
    name: textAt(row, 1),
    type,
    nullable: row[3] === 'f',
    default: printed === null || printed === undefined ? undefined : canonicalDefault(type, printed),
    identity: row[5] === 't',
    ...generated,
    ...(typeof row[8] === 'string' ? { base: row[8] } : {}),
  }
}

function foreignKeyOf(row: Row): ForeignKey {
  const onDelete = row[3] === 'cascade' || row[3] === 'set_null' ? row[3] : 'restrict'
  return { column: textAt(row, 1), table: textAt(row, 2), onDelete }
}

/**
 * Only valid indexes of the engine: a half-built one is made again, and those of people are left alone.
 */
function indexesOf(rows: readonly Row[], columnNames: ReadonlyMap<string, string>): readonly TableIndex[] {
  return rows.flatMap((row) => {
    const mark = row[5] ?? ''
    if (!mark.startsWith(MARK) || row[4] !== 't' || isConverting(textAt(row, 1))) return []
    const where = mark.slice(MARK.length).replace(/^: /, '') || undefined
    const numbers = textAt(row, 6).split(' ')
    const expression = textAt(row, 7)
    const expressed = columnsIn(expression)
    const columns = numbers.flatMap((number) => (number === '0' ? expressed.shift() : columnNames.get(number)) ?? [])
    const alike = row[2] === 'btree' ? numbers.flatMap((number, at) => (number === '0' ? [at] : [])) : []
    const language = languageIn(expression)
    return [
      {
        name: textAt(row, 1),
        kind: alike.length === 0 ? kindOf(row[2], language) : /lower\(/.test(expression) ? 'names' : 'looks',
        ...(alike.length === 0 ? {} : { alike }),
        ...(language === undefined ? {} : { language }),
        unique: row[3] === 't',
        columns,
        where,
      },
    ]
  })
}

function kindOf(method: Row[number] | undefined, language: string | undefined): TableIndex['kind'] {
  if (method === 'btree') return 'btree'
  if (method === 'gist') return 'overlap'
  return language === undefined ? 'trigram' : 'stems'
}

/** The columns in the expressions of an index, which names none of them itself. */
function columnsIn(definition: string): string[] {
  const found = definition.matchAll(/octet_length\(\(?("(?:[^"]|"")+"|[^\s":()]+)/g)
  return [...found].map(([, name = '']) => (name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name))
}

/** The language of an index of stems. */
function languageIn(expression: string): string | undefined {
  return /to_tsvector\('(?:pg_catalog\.)?(\w+)'::regconfig/.exec(expression)?.[1]
}

function sequencesOf(columns: readonly Column[], starts: ReadonlyMap<string, number>): readonly Sequence[] {
  return columns.flatMap((column) => {
    const name = /^nextval\('(.+)'\)::text$/.exec(column.default ?? '')?.[1]
    const start = name === undefined ? undefined : starts.get(name)
    return name === undefined || start === undefined ? [] : [{ name, start }]
  })
}

function asideOf(tables: readonly Table[], names: Names | undefined): readonly SetAside[] {
  const found = tables.flatMap((table): SetAside[] => {
    const before = removedName(names, table.name)
    if (before !== undefined) return [{ table: before, column: undefined, name: table.name, content: table }]
    return table.columns.flatMap((column) => {
      const was = removedName(names, table.name, column.name)
      return was === undefined ? [] : [{ table: table.name, column: was, name: column.name, content: column }]
    })
  })
  return found.sort((a, b) => (asideOrder(a.name) < asideOrder(b.name) ? -1 : 1))
}

/** Every table as it is in the database, including tables and columns that were set aside. */
export interface Physical
  extends Made,
    Pick<Present, 'checks' | 'dependents' | 'fillings' | 'guards' | 'hidden' | 'trigrams' | 'ranges' | 'views'> {
  readonly all: readonly Table[]
}

/** The same, with tables and columns that were set aside in a list of their own. Pure. */
export function presentOf({ all, ...rest }: Physical): Present {
  const { names } = rest
  const present = all
    .filter((table) => removedName(names, table.name) === undefined)
    .map((table) => ({
      ...table,
      columns: table.columns.filter((column) => removedName(names, table.name, column.name) === undefined),
    }))
  return { tables: present, setAside: asideOf(all, names), ...rest }
}

/** The tables of the schema of the connection, what was set aside in it, and what the engine made there. */
export async function inspect(runner: Runner): Promise<Present> {
  return presentOf(await inspectAll(runner))
}

const HIDDEN = `select n.nspname, to_regprocedure('similarity(text, text)') is not null and to_regprocedure('word_similarity(text, text)') is not null
  from pg_extension x join pg_namespace n on n.oid = x.extnamespace
  where x.extname = 'pg_trgm' and not exists (select 1 from pg_opclass where opcname = 'gin_trgm_ops' and pg_opclass_is_visible(oid))`

/** pg_trgm, where it is in a schema that the connection does not look into. */
export async function readHidden(runner: Runner): Promise<HiddenTrigrams | undefined> {
  const [row] = await runner.run({ text: HIDDEN }, [])
  return row && { schema: textAt(row, 0), led: row[1] === 't' }
}

/** The columns and keys of tables and views of these names, without what hangs on them. */
export async function inspectTables(runner: Runner, names: readonly string[]): Promise<readonly Table[]> {
  return (await readTables(runner, names)).tables
}

/** Tables and views, all or those of these names, with the rows of their columns. */
async function readTables(runner: Runner, names: readonly string[] | null) {
  const ask = (text: string) => runner.run({ text }, [])
  const rows = await runner.run({ text: COLUMNS }, [names])
  const keys = grouped(await ask(PRIMARY_KEYS), (row) => textAt(row, 1))
  const others = grouped(await ask(OTHER_KEYS), (row) => JSON.parse(textAt(row, 1)) as readonly string[])
  const views = new Set(rows.filter((row) => VIEWS.includes(textAt(row, 11))).map((row) => textAt(row, 0)))
  const tables = [...grouped(rows, columnOf)].map(
    ([name, columns]): Table => ({
      ...{ name, columns, primaryKey: keys.get(name) ?? [] },
      ...(others.has(name) ? { otherKeys: others.get(name)! } : {}),
      ...(views.has(name) ? { view: true as const } : {}),
      ...{ foreignKeys: [], indexes: [], sequences: [] },
    }),
  )
  return { rows, tables }
}

/** The tables of the schema of the connection, as they are. */
export async function inspectAll(runner: Runner): Promise<Physical> {
  const ask = (text: string) => runner.run({ text }, [])
  const { rows, tables } = await readTables(runner, null)
  const numbers = grouped(rows, (row) => [textAt(row, 9), textAt(row, 1)] as const)
  const references = grouped(await ask(FOREIGN_KEYS), foreignKeyOf)
  const indexes = grouped(await ask(INDEXES), (row) => row)
  const starts = new Map((await ask(SEQUENCES)).map((row) => [textAt(row, 0), Number(row[1])]))
  const extensions = (await ask('select extname from pg_extension')).map((row) => textAt(row, 0))
  const all = tables
    .filter(({ view }) => view !== true)
    .map(
      (table): Table => ({
        ...table,
        foreignKeys: references.get(table.name) ?? [],
        indexes: indexesOf(indexes.get(table.name) ?? [], new Map(numbers.get(table.name))),
        sequences: sequencesOf(table.columns, starts),
      }),
    )
  return {
    all,
    views: tables.filter(({ view }) => view === true),
    checks: grouped(await ask(CHECKS), (row) => textAt(row, 1)),
    dependents: await readDependents(runner, MARK),
    fillings: grouped(await ask(FILLINGS), (row) => textAt(row, 1)),
    guards: grouped(await ask(GUARDS), (row) => textAt(row, 1)),
    ...(await readRecord(runner, all)),
    trigrams: extensions.includes('pg_trgm'),
    hidden: await readHidden(runner),
    ranges: extensions.includes('btree_gist'),
  }
}

/**
 * Leaves out the engine's own: references, keys, marked objects, and indexes with its form of name, which a killed
 * start left unmarked.
 */
const DEPENDENTS = `with others as materialized (
    select 'pg_class'::regclass as classid, i.oid as objid from pg_class i
      left join pg_description m on m.objoid = i.oid and m.classoid = 'pg_class'::regclass and m.objsubid = 0
      where i.relkind = 'i' and i.relnamespace = current_schema()::regnamespace
        and coalesce(m.description, '') not like $1 || '%' and i.relname !~ $2
        and not exists (select 1 from pg_constraint c where c.conindid = i.oid)
        and not exists (select 1 from pg_index x where x.indexrelid = i.oid and not x.indisvalid)
    union all select 'pg_constraint'::regclass, k.oid from pg_constraint k
      left join pg_description m on m.objoid = k.conindid and m.classoid = 'pg_class'::regclass and m.objsubid = 0
      where k.contype = 'c' and k.conname !~ '_(required|fits)$'
        or k.contype in ('u', 'x') and coalesce(m.description, '') not like $1 || '%' and k.conname !~ $2
    union all select 'pg_trigger'::regclass, g.oid from pg_trigger g
      where not g.tgisinternal and coalesce(obj_description(g.oid, 'pg_trigger'), '') not like $1 || '%'
    union all select 'pg_attrdef'::regclass, f.oid from pg_attrdef f
    union all select distinct d.classid::regclass, d.objid from pg_depend d
      where d.classid in ('pg_rewrite'::regclass, 'pg_policy'::regclass, 'pg_proc'::regclass)
        and d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0)
  select distinct t.relname, a.attname, case when v.oid is not null then pg_describe_object('pg_class'::regclass, v.oid, 0)
      when d.classid = 'pg_attrdef'::regclass
      then pg_describe_object('pg_class'::regclass, f.adrelid, f.adnum)
      else pg_describe_object(d.classid, d.objid, 0) end
  from others o
  join pg_depend d on d.classid = o.classid and d.objid = o.objid and d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0
  join pg_class t on t.oid = d.refobjid and t.relnamespace = current_schema()::regnamespace and t.relkind in ('r', 'p')
  join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid and not a.attisdropped
  left join pg_rewrite w on d.classid = 'pg_rewrite'::regclass and w.oid = d.objid
  left join pg_class v on v.oid = w.ev_class and v.relkind in ('v', 'm')
  left join pg_attrdef f on d.classid = 'pg_attrdef'::regclass and f.oid = d.objid
  where f.oid is null or (f.adrelid, f.adnum) <> (t.oid, a.attnum)
    and coalesce(col_description(f.adrelid, f.adnum), '') not like $1 || '%'
  order by 1, 2, 3`

/** The ends of index names of the engine, as sql-name.ts makes them. */
const OWN_NAME = '(_[0-9a-f]{8}_(key|idx|excl)|__converting)$'

/** Reads the objects that depend on columns of the schema; `mark` is the mark of the engine's own objects. */
async function readDependents(runner: Runner, mark: string): Promise<Dependents> {
  const found = new Map<string, Map<string, string[]>>()
  for (const [table, column, what] of await runner.run({ text: DEPENDENTS }, [mark, OWN_NAME])) {
    if (typeof table !== 'string' || typeof column !== 'string' || typeof what !== 'string') continue
    const columns = found.get(table) ?? new Map<string, string[]>()
    columns.set(column, [...(columns.get(column) ?? []), what])
    found.set(table, columns)
  }
  return found
}
