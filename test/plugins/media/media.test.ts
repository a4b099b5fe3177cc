/** Media over HTTP: what is taken and refused, who may see and change it, and how it leaves again. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, type Person } from '../../desk/desk.ts'
import { runAhead } from '../../support/job.ts'
import { openTo } from '../../support/modes.ts'
import { until } from '../../support/wait.ts'
import { DOCX, ODT, PDF, PNG, sendParts, uploadFile, zipOf } from './world.ts'

const media = suite('media')

let desk: Desk
let agent: Person
let cora: Person
let carl: Person

media.before(async () => {
  desk = await openDesk()
  agent = await desk.person('agent', 'Ada')
  cora = await desk.person('customer', 'Cora')
  carl = await desk.person('customer', 'Carl')
})

media.after(() => desk.close())

async function ticketOf(customer: Person): Promise<number> {
  return Number(
    (await desk.post('/tickets', customer, { subject: 'It broke', details: 'See the picture' })).at('data.id'),
  )
}

function refusal(answer: { readonly at: (path: string) => unknown }): string {
  return String((answer.at('errors.file') as string[] | undefined)?.[0] ?? '')
}

media('a file that comes is a record of eight names, and goes out byte for byte', async () => {
  const ticket = await ticketOf(cora)
  const made = await uploadFile(desk, cora, 'screen shot.PNG', PNG, ticket)
  assert.is(made.status, 201, made.text)
  assert.equal(made.keys, ['created_at', 'id', 'mime_type', 'name', 'path', 'size', 'ticket_id', 'updated_at', 'url'])
  assert.is(made.at('data.name'), 'screen shot.PNG')
  assert.is(made.at('data.size'), PNG.length)
  assert.is(made.at('data.mime_type'), 'image/png')
  assert.match(String(made.at('data.path')), /^media\/[0-9a-f-]{36}\/[0-9a-f]{2}\/[0-9a-f]{32}\.png$/)
  const url = String(made.at('data.url'))
  assert.is(url, `/api/v1/media/${made.at('data.id')}/download`)
  const loaded = await desk.call('GET', `/${url}`, { as: cora })
  assert.is(loaded.status, 200)
  assert.is(loaded.headers['content-type'], 'image/png')
  assert.is(loaded.headers['content-length'], String(PNG.length))
  assert.is(loaded.headers['x-content-type-options'], 'nosniff')
  assert.match(String(loaded.headers['cache-control']), /private/)
  assert.is(
    loaded.headers['content-disposition'],
    `attachment; filename="screen shot.PNG"; filename*=UTF-8''screen%20shot.PNG`,
  )
  const single = await desk.get(`/tickets/${ticket}`, cora)
  assert.is(single.at('data.attachments.0.url'), url)
})

media('the bytes are the same, and are not sent again to who has them', async () => {
  const text = 'The first line.\nThe second line ✓\n'
  const made = await uploadFile(desk, agent, 'notes.txt', text)
  const path = `/media/${made.at('data.id')}/download`
  const whole = await desk.get(path, agent)
  assert.is(whole.text, text)
  const again = await desk.call('GET', path, { as: agent, headers: { 'if-none-match': String(whole.headers.etag) } })
  assert.is(again.status, 304)
})

media('names keep every character, and never break out of the header', async () => {
  const made = await uploadFile(desk, agent, 'Überraschung; "x" 漢字.txt'.replaceAll('"', '%22'), 'hello')
  assert.is(made.status, 201, made.text)
  const loaded = await desk.get(`/media/${made.at('data.id')}/download`, agent)
  const said = String(loaded.headers['content-disposition'])
  assert.match(said, /^attachment; filename="[\x20-\x7e]*"; filename\*=UTF-8''[\w%.~!-]+$/)
  const [, whole = ''] = /UTF-8''(.*)$/.exec(said) ?? []
  assert.is(decodeURIComponent(whole), made.at('data.name'))
})

media('only the base name of a path is kept', async () => {
  const made = await uploadFile(desk, agent, '../../etc/cron.d/x.txt', 'hello')
  assert.is(made.at('data.name'), 'x.txt')
})

media('documents, archives of documents and texts are taken for what they are', async () => {
  const files: readonly (readonly [string, string | Buffer, string])[] = [
    ['a.pdf', PDF, 'application/pdf'],
    ['a.docx', DOCX, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['a.odt', ODT, 'application/vnd.oasis.opendocument.text'],
    ['a.log', 'Mzansi: GET / 200\n', 'text/plain'],
    ['a.csv', 'a,b\n1,2\n', 'text/csv'],
    ['a.json', '{"a":1}', 'application/json'],
    ['a.gif', 'GIF89a\x01\x00\x01\x00;', 'image/gif'],
  ]
  for (const [name, content, type] of files) {
    const made = await uploadFile(desk, agent, name, content)
    assert.is(made.status, 201, `${name}: ${made.text}`)
    assert.is(made.at('data.mime_type'), type)
  }
})

media('what is dangerous, or not what it says, is refused under file', async () => {
  const html = '<!DOCTYPE html><script>alert(1)</script>'
  const files: readonly (readonly [string, string | Buffer])[] = [
    ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['a.html', html],
    ['a.exe', 'MZ\x90'],
    ['a.js', 'alert(1)'],
    ['a.sh', '#!/bin/sh\n'],
    ['a.zip', zipOf({ a: 'b' })],
    ['a', 'hello'],
    ['.png', PNG],
    ['a.png.exe', PNG],
    ['a.png', html],
    ['a.png', PDF],
    ['a.jpg', PNG],
    ['a.txt', html],
    ['a.txt', '\ufeff  <svg onload=alert(1)>'],
    ['a.txt', '#!/bin/sh\nrm -rf /'],
    ['a.txt', Buffer.from([0xff, 0xfe, 0x41, 0x00])],
    ['a.txt', 'a\0b'],
    ['a.csv', Buffer.from([0x41, 0xe4, 0x42])],
    ['a.json', '<html>'],
    ['a.gif', `GIF89a/*${html}*/`],
    ['a.png', Buffer.concat([PNG, zipOf({ 'evil.class': 'x' })])],
    ['a.pdf', Buffer.concat([PDF, zipOf({ 'evil.class': 'x' })])],
    ['a.pdf', `MZ${PDF.toString()}`],
    ['a.docx', zipOf({ a: 'b' })],
    ['a.docx', Buffer.concat([Buffer.from('MZ'), DOCX])],
    ['a.docx', zipOf({ '[Content_Types].xml': '', 'word/document.xml': '', 'word/vbaProject.bin': '' })],
    ['a.odt', DOCX],
    ['a.doc', Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 nothing', 'latin1')],
    ['a.txt', ''],
  ]
  for (const [name, content] of files) {
    const refused = await uploadFile(desk, agent, name, content)
    assert.is(refused.status, 422, `${name} ${String(content).slice(0, 20)}: ${refused.text}`)
    assert.ok(refusal(refused).length > 10, name)
  }
})

media('a request without a file says so, whatever else it holds', async () => {
  const empty = await desk.post('/media', agent, {})
  assert.is(empty.status, 422)
  assert.is(refusal(empty), 'The file field is required')
  const fields = await sendParts(desk, 'POST', '/media', agent, [{ name: 'ticket_id', value: '1' }])
  assert.is(refusal(fields), 'The file field is required')
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  assert.is((await desk.call('POST', '/media', { as: agent, body: 'a=b', headers: form })).status, 415)
  const unknown = await sendParts(desk, 'POST', '/media', agent, [
    { name: 'file', value: PNG, file: 'a.png' },
    { name: 'tickets_id', value: '1' },
  ])
  assert.is(unknown.status, 422)
  assert.match(unknown.text, /ticket_id/)
  assert.is((await desk.post('/media', undefined, {})).status, 401)
})

media('more than ten megabytes are too many', async () => {
  const large = await uploadFile(desk, agent, 'a.txt', Buffer.alloc(10_485_761 + 70_000, 0x61))
  assert.is(large.status, 413)
  assert.is(large.at('message'), 'Payload too large')
})

media('a refused record leaves no file behind', async () => {
  const folder = join(desk.engine.app.foundation.settings.dataDir, 'uploads')
  const before = await readdir(folder, { recursive: true })
  const refused = await uploadFile(desk, agent, 'a.png', PNG, 999_999)
  assert.is(refused.status, 422)
  assert.equal(refused.at('errors.ticket_id'), ['The selected ticket is invalid'])
  const files = (names: readonly string[]) => names.filter((name) => name.includes('.')).sort()
  assert.equal(files(await readdir(folder, { recursive: true })), files(before))
})

media('customers reach what is theirs or on their tickets, and nothing else', async () => {
  const ticket = await ticketOf(cora)
  const own = Number((await uploadFile(desk, cora, 'own.txt', 'mine')).at('data.id'))
  const staffs = Number((await uploadFile(desk, agent, 'staff.txt', 'from staff', ticket)).at('data.id'))
  const others = Number((await uploadFile(desk, carl, 'carl.txt', 'not yours')).at('data.id'))
  const listed = (await desk.get('/media?per_page=100', cora)).list.map(({ id }) => id)
  assert.ok(listed.includes(own) && listed.includes(staffs) && !listed.includes(others))
  assert.is((await desk.get(`/media/${staffs}/download`, cora)).text, 'from staff')
  assert.is((await desk.get(`/media/${others}/download`, cora)).status, 403)
  assert.is((await desk.get(`/media/${others}`, cora)).status, 403)
  assert.is((await desk.get('/media/999999/download', cora)).status, 404)
  assert.is((await desk.get(`/media/${own}/download`)).status, 401)
  assert.is((await uploadFile(desk, carl, 'x.txt', 'x', ticket)).status, 422)
  assert.is((await desk.remove(`/media/${staffs}`, cora)).status, 403)
  assert.is((await desk.put(`/media/${staffs}`, cora, { name: 'x.txt' })).status, 403)
  assert.is((await desk.remove(`/media/${own}`, agent)).status, 403)
  assert.is((await desk.put(`/media/${own}`, cora, { ticket_id: ticket })).status, 200)
  assert.is((await desk.put(`/media/${others}`, desk.admin, { name: 'other.txt' })).at('data.name'), 'other.txt')
  assert.is((await desk.remove(`/media/${own}`, cora)).status, 204)
})

media('a deleted ticket takes its files out of its customer’s reach, those that the customer sent too', async () => {
  const ticket = await ticketOf(cora)
  const [own, staffs, free] = await Promise.all([
    uploadFile(desk, cora, 'own.png', PNG, ticket),
    uploadFile(desk, agent, 'staffs.png', PNG, ticket),
    uploadFile(desk, cora, 'free.png', PNG),
  ])
  assert.is((await desk.remove(`/tickets/${ticket}`, desk.admin)).status, 204)
  for (const file of [own, staffs]) {
    const path = `/media/${file.at('data.id')}`
    for (const [method, where] of [
      ['GET', path],
      ['GET', `${path}/download`],
      ['PUT', path],
      ['DELETE', path],
    ] as const) {
      const answer = await desk.call(method, where, {
        as: cora,
        body: method === 'PUT' ? { name: 'x.png' } : undefined,
      })
      assert.is(answer.status, 403, `${method} ${where}: ${answer.text}`)
    }
    assert.is((await desk.get(`${path}/download`, agent)).status, 200)
  }
  const listed = (await desk.get('/media?per_page=100', cora)).list.map(({ id }) => id)
  assert.ok(listed.includes(free.at('data.id')))
  assert.not.ok(listed.includes(own.at('data.id')) || listed.includes(staffs.at('data.id')))
  assert.is((await desk.put(`/media/${staffs.at('data.id')}`, agent, { name: 'mine.png' })).status, 200, 'one’s own')
  assert.is((await desk.post(`/tickets/${ticket}/restore`, desk.admin)).status, 200)
  assert.is((await desk.get(`/media/${own.at('data.id')}/download`, cora)).status, 200)
})

media('a new name goes on saying what the file is', async () => {
  const id = Number((await uploadFile(desk, agent, 'a.txt', 'hello')).at('data.id'))
  for (const name of ['a.html', 'a', 'x/y.txt', 'a\u202etxt.txt', '.txt']) {
    const refused = await desk.put(`/media/${id}`, agent, { name })
    assert.is(refused.status, 422, name)
    assert.ok(refused.at('errors.name'), name)
  }
  assert.is((await desk.call('PATCH', `/media/${id}`, { as: agent, body: { name: 'b.log' } })).at('data.name'), 'b.log')
  const other = await desk.put(`/media/${id}`, agent, { path: 'media/other', size: 1, mime_type: 'text/html' })
  assert.is(other.status, 422)
  assert.equal(Object.keys(other.at('errors') ?? {}), ['path', 'size', 'mime_type'])
  assert.is((await desk.get(`/media/${id}`, agent)).at('data.mime_type'), 'text/plain')
})

media('deleting removes the record and the file', async () => {
  const made = await uploadFile(desk, agent, 'a.txt', 'hello')
  const place = join(desk.engine.app.foundation.settings.dataDir, 'uploads', String(made.at('data.path')))
  assert.is((await readdir(join(place, '..'))).length > 0, true)
  const gone = await desk.remove(`/media/${made.at('data.id')}`, agent)
  assert.is(gone.status, 204)
  assert.is(gone.text, '')
  // The job that removes it follows the commit.
  const isThere = async () => (await readdir(join(place, '..'))).some((name) => place.endsWith(name))
  await until(async () => !(await isThere()))
  assert.is((await desk.get(`/media/${made.at('data.id')}/download`, agent)).status, 404)
  assert.is((await desk.post(`/media/${made.at('data.id')}/restore`, agent)).status, 404)
})

media('what is kept is for the user that runs the program alone', async () => {
  await uploadFile(desk, agent, 'a.txt', 'hello')
  assert.equal(openTo(desk.engine.app.foundation.settings.dataDir), [])
})

media(
  'an account stores so many bytes in a day, also by uploads that arrive together, and more the day after',
  async () => {
    const quentin = await desk.person('customer', 'Quentin')
    const counted = async (change: string) => {
      const text = `update media_uses set ${change} where account = $1::int returning bytes`
      return Number((await desk.engine.database.adhoc.run({ text }, [quentin.id]))[0]?.[0])
    }
    const send = () => uploadFile(desk, quentin, 'ten.txt', '0123456789')
    const refused = await uploadFile(desk, quentin, 'ten.txt', '0123456789', 999_999)
    assert.is(refused.status, 422)
    const made = await send()
    assert.is(made.status, 201)
    assert.is(await counted('bytes = bytes'), 10)
    assert.is((await desk.remove(`/media/${made.at('data.id')}`, quentin)).status, 204)
    assert.is(await counted('bytes = bytes'), 10)
    await counted('bytes = 524288000 - 25')
    const answers = await Promise.all([send(), send(), send(), send(), send(), send()])
    assert.equal(answers.map(({ status }) => status).sort(), [201, 201, 429, 429, 429, 429])
    assert.is(await counted('bytes = bytes'), 524_288_000 - 5)
    const late = await send()
    assert.is(late.at('code'), 'too_many_requests')
    assert.match(String(late.at('message')), 'may store 524288000 bytes of files in a day')
    const wait = Number(late.headers['retry-after'])
    assert.ok(wait > 0 && wait <= 86_400)
    assert.is((await desk.get('/media', quentin)).list.length, 2)
    assert.is((await uploadFile(desk, carl, 'ten.txt', '0123456789')).status, 201)
    await counted('day = day - 1')
    assert.is((await send()).status, 201)
    assert.is(await counted('day = day - 1'), 10)
    await runAhead(desk.engine, 'media.tidy')
    assert.ok(Number.isNaN(await counted('bytes = bytes')))
  },
)

media.run()
