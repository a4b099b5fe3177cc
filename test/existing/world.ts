/** Databases of other programs, served as `init --from` would serve them, or by YAML of a test. */
import { type Adopted, adopted } from '../../engine/cli/init/from.ts'
import { appOf } from '../../engine/cli/init/template.ts'
import { connect } from '../../engine/database/connect.ts'
import type { Database, Row } from '../../engine/database/database.ts'
import type { Answer } from '../support/answer.ts'
import { application, type TestApplication } from '../support/application.ts'
import { SILENT, testDatabase } from '../support/database.ts'

const ADMIN = { email: 'admin@example.com', password: 'a long enough secret' }

export interface World {
  readonly database: Database
  readonly found: Adopted
  readonly app: TestApplication
  readonly token: string
  /** A request of the first administrator. */
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  sql(text: string): Promise<readonly Row[]>
  close(): Promise<void>
}

interface Options {
  /** The schema that connections find and make tables in. */
  readonly schema?: string
  /** Files in place of those that were made, or added to them. */
  readonly files?: Readonly<Record<string, string>> | ((found: Adopted) => Readonly<Record<string, string>>)
}

/** A database after SQL, with connections whose schema is another one. */
export async function filled(sql: string, schema = 'public') {
  const { database, url, close } = await testDatabase()
  try {
    await database.knex.raw(sql)
    const inSchema = async (name: string): Promise<Database> => {
      if (url === undefined) {
        await database.knex.raw(`set search_path to "${name}"`)
        return { ...database, close: async () => void (await database.knex.raw('reset search_path')) }
      }
      const address = new URL(url)
      address.searchParams.set('options', `-csearch_path=${name}`)
      return connect({ databaseUrl: address.href, dataDir: '', databasePool: 6 }, { log: SILENT })
    }
    return { inSchema, close, own: await inSchema(schema) }
  } catch (error) {
    await close()
    throw error
  }
}

/** Makes an application of the tables that a connection sees, starts it and signs the first administrator in. */
export async function serve(database: Database, { files = {} }: Options = {}): Promise<Omit<World, 'close'>> {
  const found = await adopted(database, await appOf('from', { title: 'Shop' }))
  const env = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password }
  const app = await application({
    resources: { ...Object.fromEntries(found.files), ...(typeof files === 'function' ? files(found) : files) },
    database,
    env,
  })
  const { body } = await app.call('POST', '/api/v1/auth/login', { body: ADMIN })
  return {
    ...{ database, found, app, token: body.data.token },
    call: (method, path, sent, headers = {}) =>
      app.call(method, `/api/v1${path}`, {
        token: body.data.token,
        headers,
        ...(sent === undefined ? {} : { body: sent }),
      }),
    sql: (text) => database.adhoc.run({ text }, []),
  }
}

/** The same on a database of its own. */
export async function served(sql: string, options: Options = {}): Promise<World> {
  const { own, close } = await filled(sql, options.schema)
  try {
    const world = await serve(own, options)
    return {
      ...world,
      close: async () => {
        await world.app.close()
        await own.close()
        await close()
      },
    }
  } catch (error) {
    await own.close()
    await close()
    throw error
  }
}
