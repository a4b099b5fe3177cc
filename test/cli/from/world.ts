/** An application made of a database that a test filled, and what is known of that database without it. */
import { readFileSync } from 'node:fs'
import { type Adopted, adopted } from '../../../engine/cli/init/from.ts'
import { appOf } from '../../../engine/cli/init/template.ts'
import type { Database } from '../../../engine/database/database.ts'
import type { Answer } from '../../support/answer.ts'
import { application, type TestApplication } from '../../support/application.ts'
import { testDatabase } from '../../support/database.ts'

const ADMIN = { email: 'admin@example.com', password: 'a long enough secret' }

/** All that PostgreSQL knows of each table, view and sequence, as pairs of its name and one thing. */
const KNOWN = `
  select table_name::text, to_jsonb(c) from information_schema.columns c where table_schema = 'public'
  union all select conrelid::regclass::text, to_jsonb(conname || ' ' || pg_get_constraintdef(oid)) from pg_constraint where connamespace = 'public'::regnamespace
  union all select quote_ident(tablename), to_jsonb(indexdef) from pg_indexes where schemaname = 'public'
  union all select tgrelid::regclass::text, to_jsonb(pg_get_triggerdef(oid)) from pg_trigger where not tgisinternal
  union all select objoid::regclass::text, to_jsonb(description) from pg_description where classoid = 'pg_class'::regclass
  union all select quote_ident(sequencename), to_jsonb(s) from pg_sequences s where schemaname = 'public'
  union all select oid::regclass::text, to_jsonb(relkind::text || coalesce(relacl::text, '') || relrowsecurity::text) from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'S')`

/** Every table, view and sequence with a hash of all that is known of it, rows included. */
export async function fingerprint(database: Database): Promise<ReadonlyMap<string, string>> {
  const text = `select name, encode(sha256(convert_to(string_agg(what::text, chr(10) order by what::text), 'UTF8')), 'hex')
    from (${KNOWN}) k (name, what) group by 1`
  const known = await database.adhoc.run({ text }, [])
  const tables = await tablesOf(database)
  const rows = tables.map(async (table): Promise<readonly [string, string]> => {
    const all = `select encode(sha256(convert_to(coalesce(string_agg(r::text, chr(10) order by r::text), ''), 'UTF8')), 'hex') from "${table}" r`
    return [`rows of ${table}`, await first(database, all)]
  })
  return new Map([
    ...known.map(([name, hash]) => [String(name).replaceAll('"', ''), String(hash)] as const),
    ...(await Promise.all(rows)),
  ])
}

async function first(database: Database, text: string): Promise<string> {
  const [row] = await database.adhoc.run({ text }, [])
  return row?.[0] ?? ''
}

async function tablesOf(database: Database): Promise<readonly string[]> {
  const text = `select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    and not c.relispartition order by c.relname collate "C"`
  return (await database.adhoc.run({ text }, [])).map(([name]) => name ?? '')
}

export interface FromWorld {
  readonly database: Database
  readonly tables: readonly string[]
  readonly found: Adopted
  /** As it was before anything was made of it. */
  readonly before: ReadonlyMap<string, string>
  readonly app: TestApplication
  call(method: string, path: string, body?: unknown): Promise<Answer>
  count(table: string): Promise<number>
  close(): Promise<void>
}

/** Fills a database by a file of SQL, makes an application of it, starts that and signs the first admin in. */
export async function openFrom(sql: string): Promise<FromWorld> {
  const { database, close } = await testDatabase()
  try {
    await database.knex.raw(sql.endsWith('.sql') ? readFileSync(`test/cli/from/${sql}`, 'utf8') : sql)
    const tables = await tablesOf(database)
    const before = await fingerprint(database)
    const found = await adopted(database, await appOf('from', { title: 'Shop' }))
    const env = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password }
    const app = await application({ resources: Object.fromEntries(found.files), database, env })
    const { body } = await app.call('POST', '/api/v1/auth/login', { body: ADMIN })
    return {
      ...{ database, tables, found, before, app },
      call: (method, path, sent) =>
        app.call(method, `/api/v1${path}`, { token: body.data.token, ...(sent === undefined ? {} : { body: sent }) }),
      count: async (table) => Number(await first(database, `select count(*) from "${table}"`)),
      close: async () => {
        await app.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
