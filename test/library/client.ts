/** Requests to the served library, and what tests look at in its answers. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import type { Answer } from '../support/answer.ts'
import { application, type TestApplication } from '../support/application.ts'
import { clientOf } from '../support/client.ts'
import { byClient } from './by-client.ts'

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

const RESOURCES = 'test/library/resources'

/** How the tests that run speak to the library: by plain requests, or by the client that is made for it. */
let way: 'requests' | 'client' = 'requests'

/** A suite whose tests run twice, against a library of their own: by plain requests, and by the client. */
export function eachWay(name: string) {
  const suites = (['requests', 'client'] as const).map((one) => ({ one, tests: suite(`${name} by ${one}`) }))
  const test = (title: string, body: () => Promise<void>): void => {
    for (const { tests } of suites) tests(title, body)
  }
  return Object.assign(test, {
    before(open: () => Promise<void>): void {
      for (const { one, tests } of suites) {
        tests.before(() => {
          way = one
          return open()
        })
      }
    },
    after(close: () => Promise<void> | undefined): void {
      for (const { tests } of suites) tests.after(close)
    },
    run(): void {
      for (const { tests } of suites) tests.run()
    },
  })
}

/** Requests as the suite that runs sends them. */
async function sending({ address, call }: TestApplication): Promise<Library['request']> {
  const plain: Library['request'] = (method, path, body, headers = {}) =>
    call(method, `/library${path}`, { body, headers })
  return way === 'client' ? byClient((await clientOf(RESOURCES)).createClient({ baseUrl: address }), plain) : plain
}

/** Serves the library from an empty database. */
export async function openLibrary(): Promise<Library> {
  const served = await application({ resources: RESOURCES })
  const request = await sending(served)
  const ids = new Map<string, number>()
  return {
    close: served.close,
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
