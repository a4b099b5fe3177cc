/** A strict S3 server for tests: it computes every signature itself, checks every hash, and keeps objects in memory. */
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const KEYS = {
  access: 'AKIATEST',
  secret: 'a secret key/with+signs',
  region: 'eu-test-1',
  bucket: 'desk-files',
} as const

export interface S3Server {
  readonly endpoint: string
  readonly objects: Map<string, { readonly body: Buffer; readonly type: string; readonly since: Date }>
  /** What was refused, as `403 SignatureDoesNotMatch`. */
  readonly refusals: string[]
  /** Answers so many of the next requests with 503. */
  failing: number
  /** Copies fail on the way: 200, with an error in the body. */
  breaking: boolean
  close(): Promise<void>
}

const hash = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest()

/** As Amazon writes it: every byte but the unreserved characters. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** The refusal of a request's signature, or undefined when it is right. */
function signatureFault(request: IncomingMessage, url: URL, body: Buffer): string | undefined {
  const { headers } = request
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/
  const [, access, day, region, signed = '', signature] = pattern.exec(headers.authorization ?? '') ?? []
  const moment = String(headers['x-amz-date'])
  const claimed = String(headers['x-amz-content-sha256'])
  if (access !== KEYS.access) return '403 InvalidAccessKeyId'
  if (region !== KEYS.region || !moment.startsWith(String(day))) return '400 AuthorizationHeaderMalformed'
  const sent = Date.parse(moment.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!(Math.abs(Date.now() - sent) < 900_000)) return '403 RequestTimeTooSkewed'
  const names = signed.split(';')
  if (!names.includes('host') || !names.includes('x-amz-date') || !names.includes('x-amz-content-sha256'))
    return '403 AccessDenied'
  if (claimed !== 'UNSIGNED-PAYLOAD' && claimed !== hash(body)) return '400 XAmzContentSHA256Mismatch'
  const query = [...url.searchParams]
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort()
    .join('&')
  const lines = names.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}\n`).join('')
  const path = url.pathname
    .split('/')
    .map((part) => escaped(decodeURIComponent(part)))
    .join('/')
  const canonical = [request.method, path, query, lines, signed, claimed].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const key = hmac(hmac(hmac(hmac(`AWS4${KEYS.secret}`, String(day)), KEYS.region), 's3'), 'aws4_request')
  const expected = hmac(key, ['AWS4-HMAC-SHA256', moment, scope, hash(canonical)].join('\n')).toString('hex')
  return expected === signature ? undefined : '403 SignatureDoesNotMatch'
}

function listing(objects: S3Server['objects'], query: URLSearchParams): string {
  const page = 2
  const prefix = query.get('prefix') ?? ''
  const after = query.get('continuation-token') ?? ''
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort()
  const shown = keys.slice(0, page)
  const contents = shown.map(
    (key) =>
      `<Contents><Key>${key}</Key><LastModified>${objects.get(key)?.since.toISOString()}</LastModified></Contents>`,
  )
  const more =
    keys.length > page
      ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${shown.at(-1)}</NextContinuationToken>`
      : '<IsTruncated>false</IsTruncated>'
  return `<?xml version="1.0"?><ListBucketResult>${contents.join('')}${more}</ListBucketResult>`
}

/** Starts the server on a free port. */
export async function s3Server(): Promise<S3Server> {
  const objects: S3Server['objects'] = new Map()
  const refusals: string[] = []
  const refuse = (response: ServerResponse, fault: string): unknown => {
    refusals.push(fault)
    const [status, code] = fault.split(' ')
    return response.writeHead(Number(status)).end(`<Error><Code>${code}</Code></Error>`)
  }
  const copy = (response: ServerResponse, source: string, key: string): unknown => {
    const [, bucket, ...rest] = source.split('/')
    const found = bucket === KEYS.bucket ? objects.get(rest.join('/')) : undefined
    if (found === undefined) return refuse(response, '404 NoSuchKey')
    if (server.breaking) return response.end('<Error><Code>InternalError</Code></Error>')
    objects.set(key, { ...found, since: new Date() })
    return response.end('<CopyObjectResult><ETag>"0"</ETag></CopyObjectResult>')
  }
  const answer = (request: IncomingMessage, response: ServerResponse, body: Buffer): unknown => {
    const url = new URL(request.url ?? '/', 'http://s3')
    if (server.failing > 0) {
      server.failing--
      return refuse(response, '503 SlowDown')
    }
    const fault = signatureFault(request, url, body)
    if (fault !== undefined) return refuse(response, fault)
    const [, bucket, ...rest] = decodeURIComponent(url.pathname).split('/')
    const key = rest.join('/')
    if (bucket !== KEYS.bucket) return refuse(response, '404 NoSuchBucket')
    if (request.method === 'GET' && key === '') return response.end(listing(objects, url.searchParams))
    if (request.method === 'PUT') {
      if (request.headers['content-length'] === undefined) return refuse(response, '411 MissingContentLength')
      const copied = request.headers['x-amz-copy-source']
      if (copied !== undefined) return copy(response, decodeURIComponent(String(copied)), key)
      objects.set(key, { body, type: String(request.headers['content-type']), since: new Date() })
      return response.end()
    }
    if (request.method === 'DELETE') {
      objects.delete(key)
      return response.writeHead(204).end()
    }
    const found = objects.get(key)
    if (found === undefined) return refuse(response, '404 NoSuchKey')
    return response.writeHead(200, { 'content-length': found.body.length }).end(found.body)
  }
  const http = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => answer(request, response, Buffer.concat(chunks)))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const server: S3Server = {
    endpoint: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    objects,
    refusals,
    failing: 0,
    breaking: false,
    close: () =>
      new Promise((resolve) => {
        http.closeAllConnections()
        http.close(() => resolve())
      }),
  }
  return server
}
