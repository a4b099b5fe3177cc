/** Multipart bodies: files arrive whole, within limits, and are gone when the answer is made. */
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { partHeaders } from '../../engine/http/part-headers.ts'
import type { RouteContext } from '../../engine/http/route.ts'
import { until } from '../support/wait.ts'
import { AS_AGENT, route, serve, type World } from './world.ts'

const BOUNDARY = 'x-boundary-x'
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`

function filePart(name: string, content: string, filename = 'a.txt', type = 'text/plain'): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`
}
function fieldPart(name: string, content: string): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`
}
const END = `--${BOUNDARY}--\r\n`

async function described({ files, body }: RouteContext) {
  const contents = await Promise.all(files.map(({ path }) => readFile(path, 'utf8')))
  return { data: { body, contents, files: files.map(({ path: _, ...file }) => file) } }
}

const test = suite<{ world: World }>('http: uploads')
test.before(async (context) => {
  context.world = await serve([
    route({ method: 'POST', path: '/media', body: 'multipart', upload: { bytes: 1_000, files: 2 }, handle: described }),
    route({ method: 'POST', path: '/wide', body: 'multipart', handle: described }),
    route({
      method: 'POST',
      path: '/locked',
      body: 'multipart',
      handle: described,
      access: [{ kind: 'permission', permission: 'media.upload' }],
    }),
    route({
      method: 'POST',
      path: '/crash',
      body: 'multipart',
      handle: async () => {
        throw new Error('crash')
      },
    }),
  ])
})
test.after.each(async ({ world }) => {
  const left = await readdir(join(world.folder, 'tmp')).catch(() => [])
  assert.equal(left, [], 'no temporary file is left')
})
test.after(async ({ world }) => {
  await world.close()
})

function post(world: World, body: string, path = '/media', headers: Record<string, string> = {}) {
  return world.ask(`POST /api/v1${path}`, { headers: { ...AS_AGENT, 'Content-Type': TYPE, ...headers }, body })
}

test('gives the handler the files and the other parts', async ({ world }) => {
  const { json } = await post(
    world,
    filePart('file', 'hello') +
      fieldPart('ticket_id', '5') +
      filePart('more', '', '../../etc/passwd', 'IMAGE/PNG') +
      END,
  )
  assert.equal(json.data, {
    body: { ticket_id: '5' },
    contents: ['hello', ''],
    files: [
      { part: 'file', name: 'a.txt', type: 'text/plain', bytes: 5 },
      { part: 'more', name: 'passwd', type: 'image/png', bytes: 0 },
    ],
  })
})

test('a file over the limit is 413', async ({ world }) => {
  assert.is((await post(world, filePart('file', 'x'.repeat(1_001)) + END)).status, 413)
})

test('a declared length over the limit is 413 before anything is read', async ({ world }) => {
  assert.is((await post(world, filePart('file', 'x'.repeat(100_000)) + END)).status, 413)
})

test('more files than allowed are 422 under the file', async ({ world }) => {
  const part = filePart('file', 'x')
  const { status, json } = await post(world, part + part + part + END)
  assert.is(status, 422)
  assert.equal(json.errors, { file: ['At most 2 files may be sent'] })
})

/** A part with the given header lines. */
const headed = (...lines: string[]) => `--${BOUNDARY}\r\n${lines.join('\r\n')}\r\n\r\nx\r\n`
const NAMED = 'Content-Disposition: form-data; name="a"'
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `${'a'.repeat(at + 1)}: b`)

test('a part is a file where it names one, whatever library sends it', async ({ world }) => {
  const untyped = headed('Content-Disposition: form-data; name="file"; filename="notes.csv"')
  const typed = headed('Content-Type: text/plain; charset=utf-8', 'Content-Disposition: form-data; name=ticket_id')
  const json = headed('Content-Type: application/json', 'Content-Disposition: form-data; name="about"')
  const blob = headed('Content-Disposition: form-data; name="more"', 'Content-Type: image/png')
  const sent = await post(world, untyped + typed + json + blob + END)
  assert.is(sent.status, 200, sent.text)
  assert.equal(sent.json.data, {
    body: { ticket_id: 'x', about: 'x' },
    contents: ['x', 'x'],
    files: [
      { part: 'file', name: 'notes.csv', type: 'application/octet-stream', bytes: 1 },
      { part: 'more', name: '', type: 'image/png', bytes: 1 },
    ],
  })
})

test('a part may have headers of 8 KiB and 20 lines', async ({ world }) => {
  for (const part of [headed(NAMED, `x: ${'y'.repeat(8_000)}`), headed(NAMED, ...numbered(19))]) {
    assert.equal((await post(world, part + END, '/wide')).json.data, { body: { a: 'x' }, contents: [], files: [] })
  }
})

for (const [name, part] of [
  ['headers of more than 8 KiB', headed(NAMED, `x: ${'y'.repeat(8_192)}`)],
  ['a header that never ends', `--${BOUNDARY}\r\nContent-Disposition: ${'filename="'.repeat(100_000)}`],
  ['more than 20 headers', headed(NAMED, ...numbered(20))],
  ['a hundred file names', headed(`${NAMED}; ${'filename="'.repeat(100)}`)],
  ['a second part with too many headers', fieldPart('a', 'x') + headed(NAMED, ...numbered(20))],
] as const) {
  test(`${name}: 400, at once`, async ({ world }) => {
    const before = process.cpuUsage()
    const { status, json } = await post(world, part + END, '/wide')
    assert.is(status, 400)
    assert.match(String(json.message), /^A part of the multipart body/)
    const { user } = process.cpuUsage(before)
    assert.ok(user < 500_000, `${user / 1000} ms`)
  })
}

test('more parts than a form has are 413', async ({ world }) => {
  assert.is((await post(world, fieldPart('a', 'x').repeat(50) + END, '/wide')).status, 200)
  for (const many of [51, 100, 100_000]) {
    assert.is((await post(world, fieldPart('a', 'x').repeat(many) + END, '/wide')).status, 413)
  }
})

test('headers that arrive in pieces are counted together', () => {
  for (const size of [1, 7, 1_000]) {
    const bytes = Buffer.from(fieldPart('a', 'x'.repeat(20_000)) + headed(NAMED, `x: ${'y'.repeat(8_192)}`) + END)
    const look = partHeaders(TYPE, 10)
    assert.throws(() => {
      for (let at = 0; at < bytes.length; at += size) look(bytes.subarray(at, at + size))
    }, 'more than 8192 bytes of headers')
    const fine = partHeaders(TYPE, 10)
    for (let at = 0; at < 20_000; at += size) fine(bytes.subarray(at, at + size))
  }
})

test('a body that breaks off is 400', async ({ world }) => {
  for (const body of [filePart('file', 'hello'), 'no multipart at all']) {
    const { status, json } = await post(world, body)
    assert.is(status, 400)
    assert.is(json.message, 'Malformed multipart request body')
  }
  assert.is(
    (await post(world, filePart('file', 'x') + END, '/media', { 'Content-Type': 'multipart/form-data' })).status,
    415,
  )
})

test('nothing is received from those who may not upload', async ({ world }) => {
  assert.is((await post(world, filePart('file', 'x') + END, '/locked')).status, 403)
})

test('JSON, or nothing, comes without files; other types are 415', async ({ world }) => {
  const ask = (asked: object) => world.ask('POST /api/v1/media', { headers: AS_AGENT, ...asked })
  for (const asked of [{ json: { a: 1 } }, {}]) {
    assert.equal((await ask(asked)).json.data, { body: {}, contents: [], files: [] })
  }
  assert.is((await ask({ headers: { ...AS_AGENT, 'Content-Type': 'text/csv' }, body: 'a' })).status, 415)
})

test('the files are gone when the handler failed', async ({ world }) => {
  assert.is((await post(world, filePart('file', 'x') + END, '/crash')).status, 500)
})

test('the files are gone when the client went away', async ({ world }) => {
  const socket = connect(world.port, '127.0.0.1')
  socket.write(
    `POST /api/v1/media HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer agent\r\nContent-Type: ${TYPE}\r\nContent-Length: 900\r\n\r\n${filePart('file', 'half')}`,
  )
  const files = async () => (await readdir(join(world.folder, 'tmp')).catch(() => [])).length
  await until(async () => (await files()) === 1)
  socket.destroy()
  await until(async () => (await files()) === 0)
})

test('text that is no text in a part is 422', async ({ world }) => {
  assert.equal(Object.keys((await post(world, `${fieldPart('name', 'a\0b')}${END}`)).json.errors ?? {}), ['name'])
})

test('a folder that cannot be written to is 503, and uploads go on when it can', async () => {
  const world = await serve([route({ method: 'POST', path: '/media', body: 'multipart', handle: described })])
  const body = filePart('file', 'x') + END
  const folder = join(world.folder, 'tmp')
  await writeFile(folder, 'a file where the folder should be')
  const { status, headers, json } = await post(world, body)
  assert.is(status, 503)
  assert.ok(Number(headers['retry-after']) >= 1)
  assert.is(json.message, 'Service unavailable')
  await post(world, body)
  const said = world.lines.filter(({ message }) => message === 'files cannot be used')
  assert.equal(
    said.map(({ fields }) => fields.code),
    ['ENOTDIR'],
    'logged once',
  )
  await rm(folder)
  assert.is((await post(world, body)).status, 200)
  await rm(folder, { recursive: true })
  assert.is((await post(world, body)).status, 200, 'a folder that somebody removed is made again')
  await world.close()
})

test('what a crash left is removed with the first upload', async () => {
  const world = await serve([route({ method: 'POST', path: '/media', body: 'multipart', handle: described })])
  const folder = join(world.folder, 'tmp')
  for (const [name, age] of [
    ['upload-old', 7_200],
    ['upload-new', 60],
  ] as const) {
    await mkdir(join(folder, name), { recursive: true })
    const at = Date.now() / 1000 - age
    await utimes(join(folder, name), at, at)
  }
  await post(world, filePart('file', 'x') + END)
  assert.equal(await readdir(folder), ['upload-new'])
  await world.close()
})

test.run()
