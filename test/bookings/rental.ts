/** The rental served from YAML alone, and the ways in which a record can be written. */

import { SYSTEM } from '../../engine/actor.ts'
import { pluginContext } from '../../engine/context/plugin-context.ts'
import { ApiError } from '../../engine/error.ts'
import type { JsonObject } from '../../engine/json.ts'
import { executionOf } from '../../engine/run/execution.ts'
import type { Answer } from '../support/answer.ts'
import { application, type TestApplication } from '../support/application.ts'
import { sentencesIn } from '../support/sentence-codes.ts'

export const CLERK = '1:clerk:rental.book'
export const MANAGER = '9:manager:rental.book,rental.manage'

/** What a refused write says: its status, and its sentence or those of its fields. */
export interface Refused {
  readonly status: number
  readonly says: unknown
}

export interface Rental extends TestApplication {
  request(method: string, path: string, body?: JsonObject, token?: string): Promise<Answer>
  /** A record made by the manager; gives its id. */
  make(path: string, body: JsonObject): Promise<number>
  /** A write by plugin code, as the system. */
  byCode(
    write: (bookings: ReturnType<ReturnType<typeof pluginContext>['records']>) => Promise<unknown>,
    name?: string,
  ): Promise<Refused | undefined>
  /** A CSV file with one booking; gives the errors of its row. */
  imported(columns: Readonly<Record<string, string>>): Promise<unknown>
}

/** Serves the rental from an empty database, with two branches and an item in each. */
export async function openRental(): Promise<Rental> {
  const app = await application({ resources: 'test/bookings/resources', plugins: 'test/support/plugins' })
  const request: Rental['request'] = (method, path, body, token = MANAGER) =>
    app.call(method, `/rental${path}`, { body, token })
  const make: Rental['make'] = async (path, body) => {
    const answer = await request('POST', path, body)
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`)
    return Number((answer.body.data as JsonObject).id)
  }
  return {
    ...app,
    request,
    make,
    async byCode(write, name = 'bookings') {
      const call = { actor: SYSTEM, requestId: 'test', afterCommit: () => undefined }
      const { records } = pluginContext(executionOf(app.engine.app.foundation, call), {})
      try {
        await write(records(name, 'system'))
        return undefined
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const { message, params, status } = error
        return { status, says: params.errors === undefined ? message : sentencesIn(params.errors) }
      }
    },
    async imported(columns) {
      const file = `${Object.keys(columns).join(',')}\n${Object.values(columns).join(',')}\n`
      const form = new FormData()
      form.append('file', new Blob([file], { type: 'text/csv' }), 'bookings.csv')
      const encoded = new Response(form)
      const answer = await app.call('POST', '/rental/bookings/import', {
        token: MANAGER,
        body: new Uint8Array(await encoded.arrayBuffer()),
        headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
      })
      const { errors } = answer.body.data as { readonly errors: readonly { readonly errors: unknown }[] }
      return errors[0]?.errors
    },
  }
}

/** What an answer refuses. */
export function refused({ status, body }: Answer): Refused {
  return { status, says: body.errors ?? body.message }
}
