/** ⇄ An application for a database that is there already: its files, what they could not say, and a trial that they serve it. */
import type { Boot } from '../../boot/boot.ts'
import { connect, EMBEDDED_EXTENSIONS, reasonOf } from '../../database/connect.ts'
import type { Database } from '../../database/database.ts'
import { applicationOf, type Found, type Taken } from '../../existing/application.ts'
import type { DatabaseFacts } from '../../existing/facts.ts'
import { readFacts } from '../../existing/read-facts.ts'
import { remarkLines } from '../../existing/remark.ts'
import { movedText } from '../../existing/resource-text.ts'
import { readSchema } from '../../existing/schema.ts'
import type { Logger } from '../../observe.ts'
import { isCutInPassword, WRITTEN_AS_CODES } from '../../settings.ts'
import { visible } from '../../text/visible.ts'
import { bootOf, tried } from './trial.ts'

/** What was made of a database. */
export interface Adopted {
  /** Files below `resources/`, app.yaml among them. */
  readonly files: ReadonlyMap<string, string>
  /** SQL that makes the tables anew for tests. */
  readonly schema: string
  /** The resource of each table that is one. */
  readonly served: ReadonlyMap<string, string>
  /** One line for each thing that the YAML does not say as it is. */
  readonly remarks: readonly string[]
  /** The tables that Plinth makes beside: for accounts and what belongs to them. */
  readonly own: readonly string[]
  /** Which database it was, without a password. */
  readonly database: string
}

const ADDRESS = 'postgres://user:password@host:5432/name'

/** The address of a database as it may be written into a file: without its password. */
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

/** Reads a database, and tries on it what was made of it; changes nothing there. Rejects with a sentence where it cannot be served. */
export async function adopted(database: Database, app: string): Promise<Adopted> {
  const facts = await readFacts(database)
  refuseUnfit(facts)
  const found = applicationOf(facts, takenBy(await bootOf(new Map([['app.yaml', app]]))))
  if (found.files.size === 0)
    throw new Error(`None of the tables can be served. Nothing was written.\n${indented(remarkLines(found.remarks))}`)
  const moved = [...found.moved].map(([resource, table]) => [`${resource}.yaml`, movedText(resource, table)] as const)
  const files = new Map([['app.yaml', app], ...found.files, ...moved])
  const own = await tried(await bootOf(files), database)
  const there = facts.tables.filter(({ kind }) => kind === 'r' || kind === 'p').map(({ name }) => name)
  const { sql, left } = await readSchema(database, there)
  const remarks = [...told(found), ...left.map((object) => `test/schema.sql is without ${object}`), ...serverOnly(sql)]
  return { files, schema: schemaText(sql), served: found.served, remarks, own, database: database.description }
}

/** The file `test/schema.sql`. */
function schemaText(sql: string): string {
  return `-- The tables that were there, without their rows: \`npm test\` makes them in a database of its own before the application starts.
-- When they change, write what changes here too, or take the file that \`pg_dump --schema-only --no-owner --no-privileges\` writes.
${sql}`
}

/** What the tests need a server for. */
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

/** What plugins have: their resources and tables, and the first words of all paths. */
function takenBy({ catalog, routes, composition }: Boot): Taken {
  const first = (path: string) => path.replace(/^\/+/, '').split('/')[0] ?? ''
  const resources = [...catalog.resources.values()]
  const paths = [...resources, ...routes].map(({ path }) => first(path).replaceAll('-', '_'))
  const plugins = composition.plugins.map(({ name }) => name)
  return {
    // app.yaml is no resource's file.
    names: new Set(['app', ...resources.map(({ name }) => name), ...paths, ...plugins]),
    tables: new Map(resources.filter(({ name, owner }) => name === owner).map(({ name, table }) => [table, name])),
  }
}
