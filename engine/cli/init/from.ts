/** An application for an existing database ⇄: its files, what they cannot say, and a trial that they serve it. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { type Boot, readCatalog } from '../../boot/boot.ts'
import { connect, EMBEDDED_EXTENSIONS, reasonOf } from '../../database/connect.ts'
import type { Database } from '../../database/database.ts'
import { failureCode } from '../../database/failure.ts'
import { applicationOf, type Found, type Taken } from '../../existing/application.ts'
import { withoutControls } from '../../existing/column.ts'
import type { DatabaseFacts } from '../../existing/facts.ts'
import { readFacts } from '../../existing/read-facts.ts'
import { type Remark, remarkLines } from '../../existing/remark.ts'
import { movedText } from '../../existing/resource-text.ts'
import { readSchema } from '../../existing/schema.ts'
import { tables } from '../../migration/catalog-tables.ts'
import { planFor } from '../../migration/migrate.ts'
import { reason } from '../../migration/plan-text.ts'
import { riskOf } from '../../migration/step.ts'
import type { Logger } from '../../observe.ts'
import { rehearse } from '../../run/rehearse.ts'
import { isCutInPassword, WRITTEN_AS_CODES } from '../../settings.ts'
import type { Diagnostic } from '../../text/diagnostic.ts'
import { renderDiagnostics } from '../../text/render.ts'
import { visible } from '../../text/visible.ts'

/** The application that was made of a database. */
export interface Adopted {
  /** Files below `resources/`, app.yaml among them. */
  readonly files: ReadonlyMap<string, string>
  /** SQL that makes the tables for tests. */
  readonly schema: string
  /** Resource → its table, for the tables that are served. */
  readonly served: ReadonlyMap<string, string>
  /** A line for each thing that the YAML cannot say exactly. */
  readonly remarks: readonly string[]
  /** The tables that Plinth adds: for accounts and what belongs to them. */
  readonly own: readonly string[]
  /** The database, without a password. */
  readonly database: string
}

const ADDRESS = 'postgres://user:password@host:5432/name'

/** The address of a database without its password, so that a file can hold it. */
export function withoutPassword(address: string): string {
  const url = new URL(address)
  url.password = ''
  url.searchParams.delete('password')
  return url.href
}

/** Opens the database of an address for `work`; rejects with a sentence that holds no password. */
export async function withAddress<T>(
  address: string,
  log: Logger,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  if (!/^postgres(?:ql)?:\/\//.test(address) || !URL.canParse(address))
    throw new Error(`--from takes the address of a PostgreSQL database, such as ${ADDRESS}`)
  const url = new URL(address)
  if (isCutInPassword(url)) throw new Error(`Write the address ${WRITTEN_AS_CODES}. Nothing was written.`)
  const schema = url.searchParams.get('schema')
  if (schema !== null)
    throw new Error(
      `PostgreSQL does not know "schema" in an address: write ?options=-csearch_path%3D${encodeURIComponent(schema)} at its end. Nothing was written.`,
    )
  const { host, pathname } = url
  let database: Database
  try {
    database = await connect({ databaseUrl: address, dataDir: '', databasePool: 2 }, { log })
  } catch (error) {
    const where = `${host || 'the local socket'}${pathname}`
    throw new Error(`The database at ${where} cannot be opened: ${reasonOf(error)}. Nothing was written.`)
  }
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/**
 * Reads a database, makes an application of it and tries that there; changes nothing. Rejects with a sentence where it
 * cannot be served.
 */
export async function adopted(database: Database, app: string): Promise<Adopted> {
  const facts = await readFacts(database)
  refuseUnfit(facts)
  const taken = takenBy(await bootOf(new Map([['app.yaml', app]])))
  const { files, found, own } = await servable(database, facts, app, taken)
  const there = facts.tables.filter(({ kind }) => kind === 'r' || kind === 'p').map(({ name }) => name)
  const { sql: printed, left } = await readSchema(database, there)
  const sql = withoutControls(printed)
  const remarks = [...told(found), ...left.map((object) => `test/schema.sql is without ${object}`), ...serverOnly(sql)]
  return { files, schema: schemaText(sql), served: found.served, remarks, own, database: database.description }
}

interface Servable {
  readonly files: ReadonlyMap<string, string>
  readonly found: Found
  readonly own: readonly string[]
}

/** The application of the tables that can be served; one that cannot takes no other with it. */
async function servable(database: Database, facts: DatabaseFacts, app: string, taken: Taken): Promise<Servable> {
  const without: Remark[] = []
  for (;;) {
    const tables = facts.tables.filter(({ name }) => !without.some(({ table }) => table === name))
    const made = applicationOf({ ...facts, tables }, taken)
    const found = { ...made, remarks: [...made.remarks, ...without] }
    if (found.files.size === 0)
      throw new Error(`None of the tables can be served. Nothing was written.\n${indented(remarkLines(found.remarks))}`)
    const moved = [...found.moved].map(([resource, table]) => [`${resource}.yaml`, movedText(resource, table)] as const)
    const files = new Map([['app.yaml', app], ...found.files, ...moved])
    try {
      return { files, found, own: await tried(await bootOf(files), database) }
    } catch (error) {
      const refused = error instanceof Unserved ? refusedTables(error, found) : []
      if (refused.length === 0) throw error
      without.push(...refused)
    }
  }
}

/** What was made cannot be served; each diagnostic names a file, where it is that of one resource. */
class Unserved extends Error {
  readonly diagnostics: readonly Diagnostic[]
  constructor(diagnostics: readonly Diagnostic[], wrong: readonly string[] = []) {
    super([OWN_MISTAKE, ...wrong, renderDiagnostics(diagnostics).trimEnd()].filter((part) => part !== '').join('\n'))
    this.diagnostics = diagnostics
  }
}

/** The tables in whose files the mistakes are, with the first of each. */
function refusedTables({ diagnostics }: Unserved, { served }: Found): readonly Remark[] {
  return [...served].flatMap(([table, resource]) => {
    const first = diagnostics.find(({ span }) => basename(span?.source.file ?? '') === `${resource}.yaml`)
    return first === undefined ? [] : [{ table, what: 'cannot be served', done: `left out, because ${first.message}` }]
  })
}

/** The file `test/schema.sql`. */
function schemaText(sql: string): string {
  return `-- The tables that were there, without their rows: \`npm test\` makes them in a database of its own before the application starts.
-- When they change, write what changes here too, or take the file that \`pg_dump --schema-only --no-owner --no-privileges\` writes.
${sql}`
}

/** A remark on extensions for which tests need a server. */
function serverOnly(sql: string): readonly string[] {
  const named = [...sql.matchAll(/^create extension if not exists "?([^";\s]+)/gm)].map(([, name = '']) => name)
  const missing = named.filter((name) => !EMBEDDED_EXTENSIONS.includes(name))
  if (missing.length === 0) return []
  const what = missing.length === 1 ? `the extension ${missing[0]}` : `the extensions ${missing.join(', ')}`
  return [
    `test/schema.sql needs ${what}, which the embedded database does not have: run the tests on a server, by TEST_DATABASE_URL=postgres://… npm test`,
  ]
}

function told({ remarks, moved }: Found): readonly string[] {
  const accounts = [...moved].map(([resource, table]) => ({
    table: resource,
    what: 'of Plinth itself (accounts) has a table of yours by its name',
    done: `Plinth keeps them in ${table}`,
  }))
  return remarkLines([...remarks, ...accounts])
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n')
}

function refuseUnfit({ name, user, schema, mayCreate, readOnly, tables: there, others }: DatabaseFacts): void {
  const refuse = (sentence: string): never => {
    throw new Error(visible(`${sentence} Nothing was written.`))
  }
  const [other] = others
  const listed = others.map((one) => `${one.schema} (${one.tables})`).join(', ')
  const elsewhere =
    other === undefined
      ? ''
      : ` Other schemas have some: ${listed}. The end of the address names one: ?options=-csearch_path%3D${other.schema}`
  if (schema === null)
    refuse(`The user ${user} has no schema in the database ${name} in which to find tables.${elsewhere}`)
  if (there.length === 0) refuse(`The database ${name} has no tables in the schema ${schema}.${elsewhere}`)
  if (!there.some(({ may }) => may.select))
    refuse(
      `The user ${user} may read none of the ${there.length} tables in the schema ${schema} of the database ${name}.`,
    )
  if (readOnly) refuse(`The database ${name} takes no writes, and Plinth keeps accounts and its own records in it.`)
  if (!mayCreate)
    refuse(
      `The user ${user} may not make tables in the schema ${schema} of the database ${name}, and Plinth keeps accounts and its own records there, beside the tables that it never changes: grant create on schema ${schema} to ${user}.`,
    )
}

/** The names of plugins' resources and tables, and the first words of all paths. */
function takenBy({ catalog, routes, composition }: Boot): Taken {
  const first = (path: string) => path.replace(/^\/+/, '').split('/')[0] ?? ''
  const resources = [...catalog.resources.values()]
  const paths = [...resources, ...routes].map(({ path }) => first(path).replaceAll('-', '_'))
  const plugins = composition.plugins.map(({ name }) => name)
  return {
    // app.yaml is the file of no resource.
    names: new Set(['app', ...resources.map(({ name }) => name), ...paths, ...plugins]),
    tables: new Map(resources.filter(({ name, owner }) => name === owner).map(({ name, table }) => [table, name])),
  }
}

/** Scenarios for each resource: only administrators see it. Its author adds more. */
export function accessText({ served }: Pick<Adopted, 'served'>): string {
  const scenarios = [...served.values()].map((resource) => {
    const request = `request: GET /${resource.replaceAll('_', '-')}`
    return `  administrators alone see ${resource}:
    - { ${request}, status: 401 }
    - { as: member, ${request}, status: 403 }
    - { as: admin, ${request}, status: 200 }
`
  })
  return `# yaml-language-server: $schema=../.plinth/test.schema.json
# \`npm test\` runs these on a database of their own, whose tables test/schema.sql makes, and tells what none of them has tried.
scenarios:
${scenarios.join('\n')}`
}

const OWN_MISTAKE = 'What was made of the database cannot be served. That is a mistake of Plinth; nothing was written.'

/** Reads files below `resources/` as an application, in a temporary folder. */
export async function bootOf(files: ReadonlyMap<string, string>): Promise<Boot> {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-init-'))
  const resourcesDir = join(folder, 'resources')
  try {
    for (const [name, text] of files) {
      const path = join(resourcesDir, name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, text)
    }
    const { value, diagnostics } = await readCatalog({ resourcesDir, pluginsDir: join(folder, 'plugins') })
    if (value === undefined) throw new Unserved(diagnostics)
    return value
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The user of a connection may not be allowed to make temporary tables, which the rehearsal needs. */
const NOT_ALLOWED = '42501'

/**
 * Plans the start of an application and lets the database prepare its statements, which changes nothing; rejects with
 * the obstacle. Returns the tables that the start would add, without the engine's own.
 */
async function tried({ catalog }: Boot, database: Database): Promise<readonly string[]> {
  const now = new Date()
  const planned = await planFor(catalog, database, now, (runner, fresh, tried) =>
    rehearse(catalog, runner, fresh, tried),
  ).catch((error: unknown) => {
    if (failureCode(error) !== NOT_ALLOWED) throw error
    return planFor(catalog, database, now)
  })
  const { steps } = planned.value
  const wrong = steps.filter((step) => riskOf(step) !== 'safe').map((step) => `  ${step.title}: ${reason(step)}`)
  if (wrong.length + planned.diagnostics.length > 0) throw new Unserved(planned.diagnostics, wrong)
  return tables(catalog).flatMap(({ name, existing }) => (existing || name.startsWith('plinth_') ? [] : [name]))
}
