/** The reference: node:http and pg by hand, no authentication, no limits, no hooks; the yardstick of the benchmark. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import pg from 'pg'
import { STATEMENTS } from './statements.ts'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
pool.on('error', (error) => process.stderr.write(`reference: ${error.message}\n`))
// Text as it comes: nothing here looks inside a value.
const types = { getTypeParser: () => (text: string) => text }

async function run(name: keyof typeof STATEMENTS, values: readonly unknown[]): Promise<string | undefined> {
  const { rows } = await pool.query<[string]>({
    name,
    text: STATEMENTS[name],
    values: [...values],
    rowMode: 'array',
    types,
  })
  return rows[0]?.[0]
}

function meta(extra = ''): string {
  return `"meta":{"timestamp":"${new Date().toISOString()}","version":"v1"${extra}}`
}

function pagination(total: number, page: number): string {
  return `,"pagination":{"current_page":${page},"per_page":15,"total":${total},"last_page":${Math.max(1, Math.ceil(total / 15))}}`
}

async function found(search: string, rows: keyof typeof STATEMENTS, count: keyof typeof STATEMENTS): Promise<string> {
  const [first, second] = search.split(' ').map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`)
  const words = [first, second ?? '%']
  const [data, total] = await Promise.all([run(rows, words), run(count, words)])
  return `{"success":true,"data":${data},${meta(pagination(Number(total), 1))}}`
}

async function list(query: URLSearchParams): Promise<string> {
  const filter = [query.get('status_id'), query.get('priority_id')]
  if (query.get('groups') !== null) return `{"success":true,"data":${await run('summary', [])},${meta()}}`
  if (query.get('commented') !== null) return `{"success":true,"data":${await run('commented', [])},${meta()}}`
  if (query.get('short') !== null) return `{"success":true,"data":${await run('short', filter)},${meta()}}`
  if (query.get('every') !== null) {
    const [data, total] = await Promise.all([run('every', []), run('every total', [])])
    return `{"success":true,"data":${data},${meta(pagination(Number(total), 1))}}`
  }
  const after = query.get('after')
  const page = Number(query.get('page') ?? 1)
  if (after !== null)
    return `{"success":true,"data":${await run('cursor', [...filter, ...after.split('|')])},${meta()}}`
  const search = query.get('search')
  if (search !== null) return found(search, 'search', 'matches')
  const rows = page === 1 ? run('list', filter) : run('deep', [...filter, (page - 1) * 15])
  const [data, total] = await Promise.all([rows, run('total', filter)])
  return `{"success":true,"data":${data},${meta(pagination(Number(total), page))}}`
}

function single(data: string | undefined): string {
  return data === undefined ? `{"success":false,${meta()}}` : `{"success":true,"data":${data},${meta()}}`
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>
}

const CREATE = [
  'subject',
  'details',
  'priority_id',
  'category_id',
  'department_id',
  'type_id',
  'contact_id',
  'assigned_to',
]

async function answerNote(request: IncomingMessage, url: string): Promise<[status: number, body: string]> {
  const { create, name, details, user_id } = await bodyOf(request)
  if (url.endsWith('/batch')) return [200, single(`{"create":${await run('create notes', [JSON.stringify(create)])}}`)]
  if (request.method === 'POST') return [201, single(await run('create note', [name, details, user_id]))]
  return [200, single(await run('update note', [url.slice('/api/v1/notes/'.length), name]))]
}

async function answer(request: IncomingMessage): Promise<[status: number, body: string]> {
  const url = request.url ?? ''
  if (url.startsWith('/api/v1/notes')) return answerNote(request, url)
  const mark = url.indexOf('?')
  if (url.startsWith('/api/v1/said_tickets'))
    return [200, await found(new URLSearchParams(url.slice(mark + 1)).get('search') ?? '', 'said', 'said total')]
  const id = url.slice('/api/v1/tickets/'.length, mark === -1 ? undefined : mark)
  if (request.method === 'POST') {
    const body = await bodyOf(request)
    return [
      201,
      single(
        await run(
          'create',
          CREATE.map((key) => body[key] ?? null),
        ),
      ),
    ]
  }
  if (request.method === 'PATCH') {
    const body = await bodyOf(request)
    return [200, single(await run('update', [id, body.subject, body.priority_id]))]
  }
  if (id === '') return [200, await list(new URLSearchParams(url.slice(mark + 1)))]
  const data = await run('get', [id])
  return [data === undefined ? 404 : 200, single(data)]
}

function failure(error: Error): [status: number, body: string] {
  process.stderr.write(`reference: ${error.message}\n`)
  return [500, JSON.stringify({ error: error.message })]
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [status, body] = request.url === '/readyz' ? ([200, '{}'] as const) : await answer(request).catch(failure)
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) }
  response.writeHead(status, headers)
  response.end(body)
}

const server = createServer((request, response) => void handle(request, response))
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('reference listens\n'))
process.on('SIGTERM', () => {
  server.closeAllConnections()
  server.close()
  void pool.end()
})
