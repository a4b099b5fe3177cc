/** `GET /openapi.json`: the document of what is running, made with its first request and kept. */
import { createHash } from 'node:crypto'
import type { Actor } from '../actor.ts'
import type { EngineRoute } from '../http/parts.ts'
import { memo } from '../memo.ts'
import type { OpenApiDocument } from './openapi-document.ts'

/** A document as it is sent. */
interface Sent {
  readonly body: string
  readonly etag: string
}

/**
 * The route that answers a document: with a token what its bearer may do, without one all there is. Public as the
 * interface itself is, outside the prefix so that it is found, and counted by the rate limit like everything that is not
 * for operators.
 */
export function documentRoute(whole: () => OpenApiDocument, forActor: (actor: Actor) => OpenApiDocument): EngineRoute {
  const sent = memo((document: OpenApiDocument): Sent => {
    const body = JSON.stringify(document)
    return { body, etag: createHash('sha256').update(body).digest('base64url').slice(0, 27) }
  })
  return {
    method: 'GET',
    path: '/openapi.json',
    absolute: true,
    summary: 'This document',
    description: 'With a token it holds only what the caller may do, without one all there is.',
    tag: 'Reference',
    access: 'public',
    openToRestricted: true,
    body: 'none',
    produces: ['application/json'],
    tagged: true,
    plugin: 'engine',
    options: {},
    inputFields: undefined,
    queryFields: [],
    run: async ({ actor }) => {
      const { body, etag } = sent(actor.kind === 'anonymous' ? whole() : forActor(actor))
      return { raw: { type: 'application/json; charset=utf-8', body }, etag }
    },
  }
}
