/** The library, served for one test file: on the embedded database, or on one of its own where TEST_DATABASE_URL names a server. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine } from '../../engine/engine.ts'
import type { Json, JsonObject } from '../../engine/json.ts'
import { readSettings } from '../../engine/settings.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { holdToContract } from '../support/contract.ts'
import { SILENT, testDatabase } from '../support/database.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    readonly success: boolean
    readonly message?: string
    readonly data: Json
    readonly errors?: Readonly<Record<string, readonly string[]>>
    readonly meta: JsonObject & { readonly pagination?: JsonObject }
  }
}

export interface Served {
  request(method: string, path: string, body?: JsonObject, headers?: Readonly<Record<string, string>>): Promise<Answer>
  close(): Promise<void>
}

/** Serves the resources of a folder from an empty database; paths of requests begin below the prefix. */
export async function serve(resourcesDir: string, prefix: string): Promise<Served> {
  const dataDir = mkdtempSync(join(tmpdir(), 'plinth-library-'))
  const { database, close } = await testDatabase()
  const env = {
    PORT: '0',
    DATA_DIR: dataDir,
    RESOURCES_DIR: resourcesDir,
    RATE_LIMIT: '1000000',
    REDIS_URL: process.env.TEST_REDIS_URL,
  }
  const { value: settings } = readSettings(env)
  if (settings === undefined) throw new Error('the settings of the test are wrong')
  const { value: engine, diagnostics } = await createEngine({ settings, log: SILENT, database })
  if (engine === undefined) throw new Error(renderDiagnostics(diagnostics))
  const { url } = await engine.listen()
  return {
    async request(method, path, body, headers = {}) {
      const answer = await fetch(`${url}${prefix}${path}`, {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      const seen = { status: answer.status, headers: Object.fromEntries(answer.headers), text }
      holdToContract(engine.app, method, `${prefix}${path}`, seen)
      return {
        status: answer.status,
        headers: answer.headers,
        body: (text === '' ? {} : JSON.parse(text)) as Answer['body'],
      }
    },
    async close() {
      await engine.close()
      await close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
