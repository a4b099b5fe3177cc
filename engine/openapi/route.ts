/** `GET /openapi.json`: the document of what is running, made with its first request and kept. */
import { createHash } from 'node:crypto'
import type { EngineRoute } from '../http/parts.ts'
import type { OpenApiDocument } from './openapi-document.ts'

/**
 * The route that answers a document. Public as the interface itself is, outside the prefix so that it is found, and
 * counted by the rate limit like everything that is not for operators.
 */
export function documentRoute(documentOf: () => OpenApiDocument): EngineRoute {
  let made: { readonly body: string; readonly etag: string } | undefined
  const make = () => {
    const body = JSON.stringify(documentOf())
    return { body, etag: createHash('sha256').update(body).digest('base64url').slice(0, 27) }
  }
  return {
    method: 'GET',
    path: '/openapi.json',
    absolute: true,
    summary: 'This document',
    tag: 'Reference',
    access: 'public',
    body: 'none',
    produces: ['application/json'],
    tagged: true,
    plugin: 'engine',
    options: {},
    inputFields: undefined,
    queryFields: [],
    run: async () => {
      made ??= make()
      return { raw: { type: 'application/json; charset=utf-8', body: made.body }, etag: made.etag }
    },
  }
}
