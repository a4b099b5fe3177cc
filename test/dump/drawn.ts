/** Drawn tables with all objects that PostgreSQL can describe, and their descriptions in its catalogs. */
import fc from 'fast-check'
import type { Database } from '../../engine/database/database.ts'

/** A kind of column: what is made before its table, its type with what follows it, and some of its values. */
interface ColumnKind {
  readonly before?: string
  readonly type: string
  readonly values: readonly string[]
  /** Made behind the table `t`, of which the column is `c`. */
  readonly after?: string
  /** The server must have ICU. */
  readonly icu?: true
}

const KINDS: Readonly<Record<string, ColumnKind>> = {
  text: { type: `text default 'it''s' check (c <> '')`, values: [`'a'`, `'b'`] },
  libc: {
    before: `create collation plain_c (provider = libc, locale = 'C'); comment on collation plain_c is 'By bytes.'`,
    type: 'text collate plain_c',
    values: [`'a'`],
    after: 'create index on t (c)',
  },
  german: {
    before: `create collation german (provider = icu, locale = 'de-u-co-phonebk')`,
    type: 'varchar(20) collate german',
    values: [`'ä'`],
    icu: true,
  },
  loose: {
    before: `create collation loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`,
    type: 'text collate loose unique',
    values: [`'Ä'`],
    icu: true,
  },
  collatedDomain: {
    before: `create collation "of a domain" (provider = libc, locale = 'C'); create domain named as text collate "of a domain" not null default 'x' constraint short check (char_length(value) < 9)`,
    type: 'named',
    values: [`'a'`],
  },
  lateDomain: {
    before: `create domain late as integer; alter domain late add constraint small check (value < 9) not valid`,
    type: 'late[]',
    values: [`'{1,2}'`],
  },
  colour: {
    before: `create type colour as enum ('red', 'light "blue"', 'it''s')`,
    type: `colour default 'red'`,
    values: [`'it''s'`],
  },
  size: {
    before: `create collation inside (provider = libc, locale = 'C'); create type size as (width int, "Name" text collate inside)`,
    type: 'size',
    values: [`'(1,x)'`, 'null'],
  },
  span: {
    before: `create collation ends (provider = libc, locale = 'C'); create type span as range (subtype = text, collation = ends, multirange_type_name = many_spans)`,
    type: 'span',
    values: [`'[a,b)'`],
    after: 'alter table t add column more many_spans',
  },
  distance: {
    before: `create function between_them(a integer, b integer) returns double precision language sql immutable as $$ select (a - b)::double precision $$;
      create type way as range (subtype = integer, subtype_diff = between_them)`,
    type: 'way',
    values: [`'[1,5)'`],
  },
  operator: {
    before: `create function bytes_equal(a text, b text) returns boolean language sql immutable as $$ select a = b $$;
      create operator === (leftarg = text, rightarg = text, function = bytes_equal, commutator = ===, restrict = eqsel, join = eqjoinsel, hashes, merges);
      create function bytes_differ(a text, b text) returns boolean language sql immutable as $$ select a <> b $$;
      create operator !=== (leftarg = text, rightarg = text, function = bytes_differ, negator = ===);
      comment on operator === (text, text) is 'The same.'`,
    type: `text check (c === 'same')`,
    values: [`'same'`],
    after: `create view same as select * from t where c === 'same'`,
  },
  operatorClass: {
    before: `create function turned(a integer, b integer) returns integer language sql immutable as $$ select case when a < b then 1 when a > b then -1 else 0 end $$;
      create operator class downward for type integer using btree as operator 1 >, operator 2 >=, operator 3 =, operator 4 <=, operator 5 <, function 1 turned(integer, integer);
      create function turned(a integer, b bigint) returns integer language sql immutable as $$ select case when a < b then 1 when a > b then -1 else 0 end $$;
      alter operator family downward using btree add operator 3 = (integer, bigint), function 1 (integer, bigint) turned(integer, bigint);
      comment on operator class downward using btree is 'The greatest first.'`,
    type: 'integer',
    values: ['1', '2'],
    after: 'create unique index by_class on t (c downward)',
  },
  cast: {
    before: `create type mood as enum ('good', 'bad');
      create function mood_of(word text) returns mood language sql immutable as $$ select case when word like 'g%' then 'bad' else 'good' end::mood $$;
      create cast (text as mood) with function mood_of(text) as assignment; comment on cast (text as mood) is 'Turned.'`,
    type: 'mood',
    values: [`'good'::mood`, `'bad'::mood`],
  },
  search: {
    before: `create text search dictionary plain_words (template = simple, accept = false); create text search configuration words (parser = "default");
      alter text search configuration words add mapping for asciiword, word with plain_words, english_stem; comment on text search configuration words is 'Of ours.'`,
    type: `tsvector generated always as (to_tsvector('words', 'running dogs')) stored`,
    values: [],
    after: 'create index on t using gin (c)',
  },
  longest: {
    before: `create function longer(a text, b text) returns text language plpgsql immutable as $$ begin return case when char_length(b) > char_length(a) then b else a end; end $$;
      create aggregate longest(text) (sfunc = longer, stype = text, initcond = '')`,
    type: 'text',
    values: [`'abc'`],
    after: 'create materialized view the_longest as select longest(c) as word from t',
  },
  stored: { type: 'text storage external', values: [`'x'`] },
  rule: {
    type: 'integer',
    values: ['1'],
    after: 'create rule quiet as on delete to t where old.c = 1 do instead nothing; alter table t disable rule quiet',
  },
  policy: {
    type: 'integer',
    values: ['1'],
    after: `create policy "own rows" on t as restrictive for update to public using (c = 1) with check (c < 9); alter table t enable row level security; comment on policy "own rows" on t is 'For some.'`,
  },
  trigger: {
    type: 'text',
    values: [`'x'`],
    after: `create function shout() returns trigger language plpgsql as $$ begin new.c := upper(new.c); return new; end $$;
      create trigger shout before insert on t for each row execute function shout(); alter table t enable always trigger shout`,
  },
  statistics: {
    type: 'integer',
    values: ['1'],
    after: `create statistics together (dependencies) on id, c from t; alter table t alter column c set statistics 7, alter column c set (n_distinct = 5)`,
  },
  replica: {
    type: 'integer not null unique',
    values: ['4'],
    after: 'alter table t replica identity using index t_c_key; alter table t cluster on t_c_key',
  },
}

/** `storage` can be said in a table only by newer servers. */
const LATER: Readonly<Record<string, string>> = { stored: 'alter table t alter column c set storage external' }

export interface Counting {
  readonly start: number
  readonly increment: number
  readonly cache: number
  readonly cycle: boolean
  readonly taken: number
}

const counting = fc.record({
  start: fc.integer({ min: 1, max: 40 }),
  increment: fc.constantFrom(1, 2, 7, -1),
  cache: fc.integer({ min: 1, max: 5 }),
  cycle: fc.boolean(),
  taken: fc.integer({ min: 0, max: 3 }),
})

/** Tables as SQL: one of each drawn kind, with a key that counts as drawn and a sequence of its own. */
export const drawnTables = fc.record({
  kinds: fc.subarray(Object.keys(KINDS), { minLength: 3, maxLength: 8 }),
  identity: counting,
  always: fc.boolean(),
  sequence: counting,
  unlogged: fc.boolean(),
  parts: fc.boolean(),
})

export type DrawnTables = typeof drawnTables extends fc.Arbitrary<infer T> ? T : never

function options({ start, increment, cache, cycle }: Counting): string {
  return `start ${start} increment ${increment} minvalue -50 maxvalue 90 cache ${cache} ${cycle ? 'cycle' : 'no cycle'}`
}

export function sqlOf({ kinds, identity, always, sequence, unlogged, parts }: DrawnTables, icu: boolean): string {
  const made = kinds.flatMap((name, at) => {
    const kind = KINDS[name]!
    if (kind.icu && !icu) return []
    const table = `drawn_${name.toLowerCase()}`
    const placed = (sql: string) => sql.replaceAll(/\bt\b/g, table).replaceAll('t_c_key', `${table}_c_key`)
    const type = kind.type.replace(' storage external', '')
    const how = `generated ${always ? 'always' : 'by default'} as identity (sequence name "counts ${name}" ${options(identity)})`
    return [
      kind.before ?? '',
      `create ${unlogged && at % 2 ? 'unlogged ' : ''}table ${table} (id ${at % 3 === 2 ? 'smallint' : 'bigint'} ${how} primary key, c ${type}) with (fillfactor = 70)`,
      placed(LATER[name] ?? ''),
      ...kind.values.map((value) => `insert into ${table} (c) values (${value})`),
      placed(kind.after ?? ''),
    ]
  })
  const divided = [
    `create table drawn_parts (id integer not null default 3, on_day date, note text default 'of all') partition by range (on_day)`,
    `create table drawn_first partition of drawn_parts for values from ('2025-01-01') to ('2026-01-01')`,
    `create table drawn_rest partition of drawn_parts default`,
    `alter table drawn_first alter column note set default 'of the first', alter column id drop default, alter column on_day set not null`,
    `insert into drawn_parts values (1, '2025-05-05'), (2, '2027-01-01')`,
  ]
  return [
    `create sequence plain ${options(sequence)}; create table drawn_plain (id integer default nextval('plain')); alter sequence plain owned by drawn_plain.id; insert into drawn_plain default values`,
    `create sequence "by hand" as integer ${options(sequence)}`,
    `select nextval('"by hand"') from generate_series(1, ${sequence.taken})`,
    ...made,
    ...(parts ? divided : []),
  ]
    .filter((sql) => sql.trim() !== '')
    .join(';\n')
}

const OURS = `not exists (select 1 from pg_depend e where e.objid = k.oid and e.deptype in ('e', 'i'))`

/** What PostgreSQL knows of everything that people made in the schema, a line for each thing. */
const CATALOG = `
  select format('column %s.%s %s collate %s identity "%s" generated "%s" %s default %s storage %s statistics %s %s', c.relname, k.attname, format_type(k.atttypid, k.atttypmod), k.attcollation::regcollation,
      k.attidentity, k.attgenerated, k.attnotnull, pg_get_expr(d.adbin, d.adrelid), k.attstorage, nullif(k.attstattarget, -1), array(select o from unnest(k.attoptions) o where o ~ '^n_distinct'))
    from pg_attribute k join pg_class c on c.oid = k.attrelid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = k.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and k.attnum > 0 and not k.attisdropped and c.relname !~ '^plinth_'
  union all select format('relation %s %s %s %s security %s %s replica %s', k.relname, k.relkind, k.relpersistence, k.reloptions, k.relrowsecurity, k.relforcerowsecurity, k.relreplident)
    from pg_class k where k.relnamespace = 'public'::regnamespace and k.relkind in ('r', 'p', 'v', 'm', 'S') and k.relname !~ '^plinth_'
  union all select format('sequence %s %s of %s', s.sequencename, to_jsonb(s), (select max(format('%s.%s %s', d.refobjid::regclass, d.refobjsubid, d.deptype)) from pg_depend d where d.objid = quote_ident(s.sequencename)::regclass and d.refobjsubid > 0))
    from pg_sequences s where s.schemaname = 'public' and s.sequencename !~ '^plinth_'
  union all select format('constraint %s of %s %s: %s %s', k.conname, k.conrelid::regclass, k.contypid::regtype, pg_get_constraintdef(k.oid), k.convalidated) from pg_constraint k
    where k.connamespace = 'public'::regnamespace and k.contype <> 'n' and k.conrelid::regclass::text !~ '^plinth_'
  union all select format('index %s %s %s', pg_get_indexdef(x.indexrelid), x.indisreplident, x.indisclustered) from pg_index x join pg_class k on k.oid = x.indrelid where k.relnamespace = 'public'::regnamespace and k.relname !~ '^plinth_'
  union all select format('trigger %s %s', pg_get_triggerdef(g.oid), g.tgenabled) from pg_trigger g join pg_class k on k.oid = g.tgrelid where k.relnamespace = 'public'::regnamespace and not g.tgisinternal
  union all select format('rule %s %s', pg_get_ruledef(r.oid), r.ev_enabled) from pg_rewrite r join pg_class k on k.oid = r.ev_class where k.relnamespace = 'public'::regnamespace and k.relname !~ '^plinth_'
  union all select 'policy ' || to_jsonb(p)::text from pg_policies p where p.schemaname = 'public'
  union all select pg_get_statisticsobjdef(oid) from pg_statistic_ext
  union all select format('routine %s %s', k.oid::regprocedure, case when k.prokind <> 'a' then pg_get_functiondef(k.oid) end) from pg_proc k where k.pronamespace = 'public'::regnamespace and ${OURS}
  union all select format('aggregate %s', to_jsonb(a) - 'aggfnoid' || jsonb_build_object('of', a.aggfnoid::regprocedure::text, 'type', a.aggtranstype::regtype::text) - 'aggtranstype') from pg_aggregate a join pg_proc k on k.oid = a.aggfnoid where k.pronamespace = 'public'::regnamespace
  union all select format('type %s %s %s %s %s', k.oid::regtype, k.typtype, k.typnotnull, k.typdefault, k.typcollation::regcollation) from pg_type k where k.typnamespace = 'public'::regnamespace and k.typrelid = 0 and k.oid::regtype::text !~ '^plinth_'
  union all select format('word %s %s', k.enumtypid::regtype, k.enumlabel) from pg_enum k
  union all select format('attribute %s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attcollation::regcollation) from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relkind = 'c' and c.relnamespace = 'public'::regnamespace
  union all select format('range %s of %s by %s %s %s', k.rngtypid::regtype, k.rngsubtype::regtype, k.rngsubdiff, k.rngcollation::regcollation, k.rngmultitypid::regtype) from pg_range k where k.rngtypid >= 16384
  union all select format('collation %s %s', k.oid::regcollation, to_jsonb(k) - 'oid' - 'collowner' - 'collnamespace' - 'collversion') from pg_collation k where k.collnamespace = 'public'::regnamespace
  union all select format('operator %s %s %s %s %s %s %s %s', k.oid::regoperator, k.oprcode, k.oprcom::regoperator, k.oprnegate::regoperator, k.oprrest, k.oprjoin, k.oprcanhash, k.oprcanmerge) from pg_operator k where k.oprnamespace = 'public'::regnamespace and ${OURS}
  union all select format('class %s %s %s %s %s', k.opcname, k.opcintype::regtype, k.opcdefault, k.opckeytype::regtype, f.opfname) from pg_opclass k join pg_opfamily f on f.oid = k.opcfamily where k.opcnamespace = 'public'::regnamespace and ${OURS}
  union all select format('member %s %s %s %s', f.opfname, o.amopstrategy, o.amopopr::regoperator, o.amoppurpose) from pg_amop o join pg_opfamily f on f.oid = o.amopfamily where f.opfnamespace = 'public'::regnamespace and not exists (select 1 from pg_depend e where e.objid = f.oid and e.deptype = 'e')
  union all select format('member %s %s %s', f.opfname, o.amprocnum, o.amproc::regprocedure) from pg_amproc o join pg_opfamily f on f.oid = o.amprocfamily where f.opfnamespace = 'public'::regnamespace and not exists (select 1 from pg_depend e where e.objid = f.oid and e.deptype = 'e')
  union all select format('cast %s %s %s %s %s', k.castsource::regtype, k.casttarget::regtype, k.castfunc::regprocedure, k.castcontext, k.castmethod) from pg_cast k where k.oid >= 16384
  union all select format('dictionary %s %s', k.oid::regdictionary, k.dictinitoption) from pg_ts_dict k where k.oid >= 16384
  union all select format('configuration %s %s %s %s', m.mapcfg::regconfig, m.maptokentype, m.mapseqno, m.mapdict::regdictionary) from pg_ts_config_map m where m.mapcfg >= 16384
  union all select format('comment on %s %s: %s', o.type, o.identity, d.description) from pg_description d, pg_identify_object(d.classoid, d.objoid, d.objsubid) o
    where d.objoid >= 16384 and d.description !~ '^plinth' and o.identity !~ 'plinth_' and not exists (select 1 from pg_depend e where e.classid = d.classoid and e.objid = d.objoid and e.deptype = 'e')
  order by 1`

export async function catalogOf(database: Database): Promise<readonly string[]> {
  return (await database.adhoc.run({ text: CATALOG }, [])).map(([line]) => line ?? '')
}
