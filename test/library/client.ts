/** Requests to the served library, and what tests look at in its answers. */
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import type { Answer } from '../support/answer.ts'
import { application } from '../support/application.ts'

export interface Library {
  close(): Promise<void>
  /** Paths begin below the prefix. */
  request(method: string, path: string, body?: JsonObject, headers?: Readonly<Record<string, string>>): Promise<Answer>
  get(path: string): Promise<Answer>
  post(path: string, body: JsonObject): Promise<Answer>
  /** Creates a record, and remembers its id under a name. */
  make(name: string, path: string, body: JsonObject): Promise<JsonObject>
  /** The id of what was made under a name. */
  id(name: string): number
}

export function record(answer: Answer): JsonObject {
  return answer.body.data as JsonObject
}

export function rows(answer: Answer): readonly JsonObject[] {
  assert.is(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.data as readonly JsonObject[]
}

/** The sentence of a 422 that complains of this key and of nothing else. */
export function refusal(answer: Answer, key: string): string {
  assert.is(answer.status, 422, JSON.stringify(answer.body))
  assert.is(answer.body.message, 'Validation failed')
  assert.equal(Object.keys(answer.body.errors ?? {}), [key])
  return answer.body.errors?.[key]?.[0] ?? ''
}

/** Serves the library from an empty database. */
export async function openLibrary(): Promise<Library> {
  const { call, close } = await application({ resources: 'test/library/resources' })
  const request: Library['request'] = (method, path, body, headers = {}) =>
    call(method, `/library${path}`, { body, headers })
  const ids = new Map<string, number>()
  return {
    close,
    request,
    get: (path) => request('GET', path),
    post: (path, body) => request('POST', path, body),
    async make(name, path, body) {
      const answer = await request('POST', path, body)
      assert.is(answer.status, 201, JSON.stringify(answer.body))
      ids.set(name, record(answer).id as number)
      return record(answer)
    },
    id: (name) => ids.get(name) ?? 0,
  }
}
