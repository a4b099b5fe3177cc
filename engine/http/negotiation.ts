/** What a client prefers: content codings and languages (RFC 9110, sections 12.5.3 and 12.5.4). */
import zlib from 'node:zlib'
import type { Middleware } from 'koa'
import compress from 'koa-compress'
import type { Catalog } from '../catalog/catalog.ts'
import { sentencesIn, type Translate } from '../catalog/sentences.ts'
import { ApiError } from '../error.ts'

/** Below it an answer fits into one or two packets anyway, and compressing costs more than it saves. */
const COMPRESS_BYTES = 2_048

/** The content codings of answers, the best one first. */
const CODINGS = [...('createZstdCompress' in zlib ? ['zstd'] : []), 'br', 'gzip', 'deflate']

const WEIGHTED = /^([!#$%&'*+.^_`|~0-9a-z-]+)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i

/** The content coding of an answer; `must` where the client refuses the plain form. */
export interface Coding {
  readonly name: string
  readonly must: boolean
}

/** The weights of a header such as `Accept-Encoding`, the first one of each name; malformed members are left out. */
function weightsOf(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const member of header.split(',')) {
    const [, sent, weight = '1'] = WEIGHTED.exec(member.trim()) ?? []
    const name = sent?.toLowerCase().replace(/^x-(?=gzip$)/, '')
    if (name !== undefined && !weights.has(name)) weights.set(name, Number(weight))
  }
  return weights
}

/** The available coding that the client prefers; undefined where it takes none. */
export function codingOf(header: string): Coding | undefined {
  const weights = weightsOf(header)
  const others = weights.get('*')
  const plain = weights.get('identity') ?? others
  // Of codings that the client does not name, it gets gzip, which every client can read.
  const order = [...CODINGS.filter((name) => weights.has(name)), 'gzip', ...CODINGS]
  const weight = (name: string): number => weights.get(name) ?? others ?? 0
  const best = order.reduce((found, name) => (weight(name) > weight(found) ? name : found))
  if (weight(best) > 0 && weight(best) >= (plain ?? 0)) return { name: best, must: plain === 0 }
  return plain === 0 ? undefined : { name: 'identity', must: false }
}

/** Throws not_acceptable where the client takes no form of the answer, before any work is done. */
export function requireCoding(header: string): void {
  if (codingOf(header) === undefined) throw new ApiError('not_acceptable')
}

/** Compresses answers as their clients ask. */
export function packing(): Middleware {
  const usual = compress({ threshold: COMPRESS_BYTES })
  const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants
  const flush = { flush: Z_SYNC_FLUSH }
  const always = compress({ threshold: 0, br: { flush: BROTLI_OPERATION_FLUSH }, gzip: flush, deflate: flush })
  return (ctx, next) => {
    const { headers } = ctx.req
    const sent = headers['accept-encoding']
    const coding = sent === undefined ? undefined : codingOf(String(sent))
    if (coding === undefined || coding.name === 'identity') return next()
    // koa-compress fails where no coding is left, so it gets the chosen one.
    headers['accept-encoding'] = coding.name
    if (!coding.must) return usual(ctx, next)
    return always(ctx, async () => {
      await next()
      ctx.compress = true
    })
  }
}

/**
 * The language of an answer, of those that there are: the one that the client prefers, else the first of them. A client that
 * asks for `de-AT` gets `de` where there is no better one, and one that asks for `pt` gets `pt-BR`.
 */
export function languageOf(header: string | undefined, languages: readonly string[]): string | undefined {
  const [first, ...others] = languages
  if (header === undefined || others.length === 0) return first
  const wanted = [...weightsOf(header)].filter(([, weight]) => weight > 0).sort(([, one], [, other]) => other - one)
  for (const [range] of wanted) {
    const found = range === '*' ? first : languageIn(range, languages)
    if (found !== undefined) return found
  }
  return first
}

/** The language of an answer, of those of the application; undefined where it names none. */
export function languageFor(
  { languages }: Pick<Catalog, 'languages'>,
  headers: { readonly 'accept-language'?: string | undefined },
): string | undefined {
  return languageOf(headers['accept-language'], languages)
}

/** What translates the sentences of an answer to a request whose path matches a pattern; undefined: they stay as they are. */
export function sentencesFor(
  catalog: Catalog,
  headers: { readonly 'accept-language'?: string | undefined },
  pattern?: string,
): Translate | undefined {
  return sentencesIn(catalog, languageFor(catalog, headers), pattern)
}

/** The language that a range means: itself, a more general one, or a more special one. */
function languageIn(range: string, languages: readonly string[]): string | undefined {
  const known = new Map(languages.map((language) => [language.toLowerCase(), language]))
  for (let part = range; part !== ''; part = part.slice(0, Math.max(0, part.lastIndexOf('-')))) {
    const found = known.get(part)
    if (found !== undefined) return found
  }
  return languages.find((language) => language.toLowerCase().startsWith(`${range}-`))
}
