/** Examines the database itself ⇄: its user, its limits, its extensions and its clock. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Database, Runner } from '../database/database.ts'
import { sentenceOf } from '../error.ts'
import { tables } from '../migration/catalog-tables.ts'
import { planFor } from '../migration/migrate.ts'
import { refuseOlderProgram, versionSentence, writtenBy } from '../migration/own/facts.ts'
import type { Program } from '../program.ts'
import { keptRoles } from '../run/kept-roles.ts'
import { type Finding, ok, problem, type Thresholds, warning } from './finding.ts'

const ABOUT = `select current_user, current_schema(), coalesce(has_schema_privilege(current_schema(), 'CREATE'), false),
  pg_is_in_recovery(), (select rolsuper from pg_roles where rolname = current_user),
  current_setting('max_connections'), current_setting('default_transaction_read_only'),
  has_database_privilege(current_database(), 'CREATE')`

const OTHERS_TABLES = `select c.relname from pg_class c where c.relnamespace = current_schema()::regnamespace
  and c.relname = any($1::text[]) and c.relkind in ('r', 'p') and not pg_has_role(c.relowner, 'USAGE') order by 1`

export async function lookAtDatabase(
  { description, adhoc, kind }: Database,
  catalog: Catalog,
): Promise<readonly Finding[]> {
  const [row] = await adhoc.run({ text: ABOUT }, [])
  const [user, schema, mayCreate, standby, superuser, connections, readOnly] = row ?? []
  if (schema === null || schema === undefined)
    return [
      problem(
        `${description}: no schema of the search_path is there`,
        `create one for ${user}, or correct its search_path`,
      ),
    ]
  const found: Finding[] = []
  if (standby === 't' || readOnly === 'on')
    found.push(
      problem(`${description} takes no writes: it is read-only, or a standby`, 'name the primary in DATABASE_URL'),
    )
  if (mayCreate !== 't')
    found.push(
      problem(
        `${user} may not create tables in the schema ${schema}`,
        `as an administrator: grant create, usage on schema ${schema} to ${user}`,
      ),
    )
  const own = tables(catalog).map((table) => table.name)
  const foreign = await adhoc.run({ text: OTHERS_TABLES }, [own])
  if (foreign.length > 0) {
    const names = foreign.map(([name]) => name).join(', ')
    found.push(
      problem(
        `${user} does not own ${names}: changes of the YAML will fail`,
        `as an administrator: alter table … owner to ${user}`,
      ),
    )
  }
  if (kind === 'postgresql' && superuser === 't')
    found.push(
      warning(`${user} is a superuser of the server`, 'give the application a user of its own, which owns its schema'),
    )
  if (kind === 'postgresql' && Number(connections) < 20)
    found.push(warning(`the server takes ${connections} connections`, 'raise max_connections, or set DATABASE_POOL'))
  if (hasCitext(catalog)) {
    const [[place] = []] = await adhoc.run({ text: UNSEEN_CITEXT }, [])
    if (place !== null && place !== undefined) found.push(comparedWithCase(schema, place))
  }
  return found.length > 0 ? found : [ok(`${description}, as ${user}, who owns the tables`)]
}

const UNSEEN_CITEXT = `select n.nspname from pg_type t join pg_namespace n on n.oid = t.typnamespace
  where t.typname = 'citext' and not pg_type_is_visible(t.oid)`

function hasCitext({ resources }: Catalog): boolean {
  const fields = [...resources.values()].flatMap((resource) => [...resource.fields.values()])
  return fields.some(({ options, type }) => type.column(options).endsWith('citext'))
}

/** PostgreSQL compares texts of a type by the operators that it sees, and sees those of citext in their schema alone. */
function comparedWithCase(schema: string, place: string): Finding {
  return problem(
    `columns of the type citext are compared with case, because connections do not look in the schema ${place}`,
    `write ?options=-csearch_path%3D${encodeURIComponent(`${schema},${place}`)} at the end of DATABASE_URL`,
  )
}

/** Examines which version of the program wrote the data. */
export async function lookAtVersions({ adhoc }: Database, program: Program): Promise<readonly Finding[]> {
  const written = await writtenBy(adhoc)
  const told = versionSentence(written, program)
  const since = typeof written === 'object' ? `, which has written the data since ${written.since} UTC` : ''
  if (told === undefined) return [ok(`Plinth ${program.version}${since}`)]
  try {
    await refuseOlderProgram(adhoc, program)
    return [ok(told)]
  } catch (error) {
    return [problem(sentenceOf(error), 'install that version')]
  }
}

/** Examines whether the tables match the YAML. */
export async function lookAtTables(database: Database, catalog: Catalog, now: Date): Promise<readonly Finding[]> {
  const { steps, start } = (await planFor(catalog, database, now)).value
  const waiting = steps.filter(({ effect }) => effect !== 'removes')
  const differing = steps.filter(({ drift }) => drift === true)
  if (differing.length > 0) {
    const titles = differing.map(({ title }) => title).join('; ')
    const after = start.refuses.length > 0 ? 'the next start will refuse it' : 'their resources are not served'
    return [problem(`existing tables are not what the YAML describes: ${titles}; ${after}`, 'see `plinth plan`')]
  }
  const [first] = waiting
  if (first === undefined) return [ok('the tables are what the YAML describes')]
  const more = waiting.length === 1 ? '' : `, and ${waiting.length - 1} more`
  const message = `the tables are not what the YAML describes: ${first.title}${more}`
  if (start.refuses.length > 0) return [problem(`${message}; the next start will refuse it`, 'see `plinth plan`')]
  const lost = waiting.flatMap(({ about, anew }) => (anew === true && about !== undefined ? [about.table] : []))
  if (lost.length > 0)
    return [
      problem(
        `${lost.join(', ')} ${lost.length === 1 ? 'is' : 'are'} gone with all rows; the next start makes an empty table`,
        'load a dump or a backup first',
      ),
    ]
  const left = waiting.filter((step) => start.leaves.includes(step))
  if (left.length === waiting.length)
    return [
      problem(`${message}; the next start leaves that as it is`, '`plinth plan` names the rows that stand in the way'),
    ]
  return [warning(message, 'the next start does it; see `plinth plan`')]
}

/** Roles that people have although no seed names them any more. */
export async function lookAtRoles({ adhoc }: Database, catalog: Catalog, now: Date): Promise<readonly Finding[]> {
  const kept = await keptRoles(catalog, adhoc, now)
  if (kept.length === 0) return [ok('every role that people have is in the YAML, or was made by people')]
  return kept.map(({ accounts, path, role }) =>
    warning(
      `${role} is a role that no seed names any more, and ${accounts.toLocaleString('en')} ${accounts === 1 ? 'account has' : 'accounts have'} it`,
      `give ${accounts === 1 ? 'it' : 'them'} another role, and then DELETE ${path}`,
    ),
  )
}

const EXTENSION = `select (select extversion from pg_extension where extname = $1),
  exists (select 1 from pg_available_extensions where name = $1), has_database_privilege(current_database(), 'CREATE')`

export async function lookAtExtensions({ adhoc }: Database, catalog: Catalog): Promise<readonly Finding[]> {
  const kinds = new Set(tables(catalog).flatMap((table) => table.indexes.map(({ kind }) => kind)))
  const needed = [
    ...(kinds.has('trigram') ? [['pg_trgm', 'searches'] as const] : []),
    ...(kinds.has('overlap') ? [['btree_gist', 'rules against overlaps'] as const] : []),
  ]
  const found: Finding[] = []
  for (const [name, use] of needed) found.push(await lookAtExtension(adhoc, name, use))
  return found.length > 0 ? found : [ok('none is needed')]
}

async function lookAtExtension(runner: Runner, name: string, use: string): Promise<Finding> {
  const [row] = await runner.run({ text: EXTENSION }, [name])
  const [version, there, mayCreate] = row ?? []
  if (typeof version === 'string') return ok(`${name} ${version}, for ${use}`)
  if (there !== 't')
    return problem(`the server does not have ${name}, for ${use}`, 'install the package postgresql-contrib there')
  if (mayCreate === 't') return ok(`${name} is made by the next start, for ${use}`)
  return problem(
    `${name} is missing, for ${use}, and this user may not make it`,
    `as an administrator: create extension ${name}`,
  )
}

/** The difference between the clocks of this machine and of the database, without half of the round trip. */
export async function lookAtClock(
  { adhoc, kind }: Database,
  now: () => Date,
  { clockMs }: Pick<Thresholds, 'clockMs'>,
): Promise<readonly Finding[]> {
  const before = now().getTime()
  const [row] = await adhoc.run({ text: 'select extract(epoch from clock_timestamp()) * 1000' }, [])
  const after = now().getTime()
  const differs = (before + after) / 2 - Number(row?.[0])
  const uncertain = (after - before) / 2
  if (Math.abs(differs) - uncertain <= clockMs)
    return [ok(kind === 'embedded' ? 'one clock for all' : 'this machine and the database have the same time')]
  const seconds = (Math.abs(differs) / 1_000).toFixed(1)
  return [
    problem(
      `the clock of this machine is ${seconds} s ${differs > 0 ? 'ahead of' : 'behind'} that of the database`,
      'let both follow a time server (NTP)',
    ),
  ]
}
