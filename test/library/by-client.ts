/** The library's requests, made by the methods of its client. */
import type { JsonObject } from '../../engine/json.ts'
import type { Answer } from '../support/answer.ts'
import type { Answered, AnyClient } from '../support/client.ts'
import type { Library } from './client.ts'

type Send = Library['request']

/** Sends by the client what it has methods for; `plain` sends what it has none for. */
export function byClient(client: AnyClient, plain: Send): Send {
  return async (method, path, body, headers = {}) => {
    const [way = '', query = ''] = path.split('?')
    const [, name = '', id, part] = way.split('/').map(decodeURIComponent)
    const resource = client[name.replaceAll('-', '_')]
    if (resource === undefined) return plain(method, path, body, headers)
    const options = headers['if-match'] === undefined ? {} : { ifMatch: headers['if-match'] }
    try {
      return answerOf(await called(resource, method, [id, part], queryOf(query), body, options))
    } catch (error) {
      return refusalOf(error)
    }
  }
}

function called(
  resource: AnyClient,
  method: string,
  [id, part]: readonly (string | undefined)[],
  query: JsonObject,
  body: JsonObject | undefined,
  options: object,
): Promise<Answered | undefined> {
  if (part !== undefined && part !== 'restore') return called(resource[part](id), method, [], query, body, options)
  if (id === undefined) return method === 'GET' ? resource.list(query, options) : resource.create(body, options)
  if (part === 'restore') return resource.restore(id, options)
  if (method === 'GET') return resource.get(id, query, options)
  return method === 'PATCH' ? resource.update(id, body, options) : resource.delete(id, options)
}

/** `price[lt]=9` as `{ price: { lt: '9' } }`, and words with commas as a list of them. */
function queryOf(text: string): JsonObject {
  const entries = [...new URLSearchParams(text)].map(([key, value]) => {
    const [, name = key, operator] = /^(.+)\[(\w+)\]$/.exec(key) ?? []
    const operand = value.includes(',') ? value.split(',') : value
    return [name, operator === undefined ? operand : { [operator]: operand }]
  })
  return Object.fromEntries(entries)
}

/** What a test reads of an answer. */
function answerOf(given: Answered | undefined): Answer {
  // What is deleted has no answer to speak of.
  if (given === undefined) return made(204, {}, new Headers())
  const { data, headers, message, meta, status } = given
  return made(status, { success: true, data, ...(message === undefined ? {} : { message }), meta }, headers)
}

function refusalOf(error: unknown): Answer {
  const { body, headers, status } = error as { body?: unknown; headers?: Headers; status?: number }
  if (status === undefined || headers === undefined) throw error
  return made(status, body, headers)
}

function made(status: number, body: unknown, headers: Headers): Answer {
  const text = JSON.stringify(body)
  const data: unknown = Reflect.get(Object(body), 'data')
  return {
    status,
    headers: Object.fromEntries(headers),
    text,
    bytes: Buffer.from(text),
    body,
    at: (path) => path.split('.').reduce<unknown>((value, key) => Reflect.get(Object(value), key), body),
    list: Array.isArray(data) ? data : [],
    keys: Object.keys(Object(data)).sort(),
  }
}
