/** Files of another application than the desk: any resource has them, and the record says who may see and send them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Answer, application, type TestApplication } from '../../support/application.ts'
import { PNG } from './world.ts'

const OWN = '[{ who: signed_in, set: { author: $actor } }]'

const FILES = {
  'app.yaml': 'name: Shelf\nprefix: /v1\nplugins: { timestamps: {}, soft_delete: {}, mail: {}, auth: {}, media: {} }\n',
  'users.yaml': 'resource: users\nattachments: true\n',
  'books.yaml': `
resource: books
attachments: true
soft_delete: true
restore: true
fields: { title: { type: string, required: true }, is_draft: { type: boolean, default: false } }
relations: { author: { belongs_to: users, embed: false } }
policies:
  view: [{ who: signed_in, where: { any: [{ is_draft: false }, { author: $actor }] } }]
  create: ${OWN}
  update: [{ permission: books.manage }, { who: signed_in, where: { author: $actor } }]
  delete: [{ who: signed_in, where: { author: $actor } }]
  restore: [{ permission: books.manage }]
`,
  'diaries.yaml': `
resource: diaries
attachments: true
fields: { title: { type: string, required: true } }
relations:
  author: { belongs_to: users, embed: false }
  attachments: { has_many: media, embed: [id, name], show: always }
policies:
  view: [{ who: signed_in, where: { author: $actor } }]
  create: ${OWN}
  update: [{ who: signed_in, where: { not: { author: { ne: $actor } } } }]
  delete: [{ who: signed_in, where: { author: $actor } }]
`,
  'pages.yaml': `
resource: pages
attachments: true
fields: { title: { type: string, required: true }, name: { type: string }, places: { type: integer, default: 1 } }
relations:
  author: { belongs_to: users, embed: false }
  lines: { has_many: lines }
policies:
  view:
    - { who: signed_in, where: { author: $actor } }
    - { who: signed_in, where: { title: { eq: $record.name }, lines: { none: { place: { gt: $record.places } } } } }
  create: ${OWN}
  update: [{ who: signed_in, where: { author: $actor } }]
  delete: [{ who: signed_in, where: { author: $actor } }]
`,
  'lines.yaml': `
resource: lines
fields: { place: { type: integer } }
relations: { page: { belongs_to: pages } }
policies: { view: [{ who: signed_in }], create: [{ who: signed_in }] }
actions: [get, create]
`,
}

interface State {
  app: TestApplication
  ann: string
  ben: string
  book: number
  diary: number
  file: number
}

const test = suite<State>('attachments')

test.before(async (state) => {
  state.app = await application({ resources: FILES })
  const join = async (name: string): Promise<string> => {
    const [password, password_confirmation] = Array(2).fill('correct horse battery')
    const body = { first_name: name, last_name: 'A', email: `${name}@shelf.example`, password, password_confirmation }
    const answer = await state.app.call('POST', '/v1/auth/register', { body })
    assert.is(answer.status, 201, answer.text)
    return answer.body.data.token
  }
  state.ann = await join('ann')
  state.ben = await join('ben')
  state.book = await made(state, '/books')
  state.diary = await made(state, '/diaries')
  const answer = await upload(state, state.ann, { book_id: state.book })
  assert.is(answer.status, 201, answer.text)
  state.file = answer.body.data.id
})
test.after(({ app }) => app?.close())

async function made({ app, ann }: State, path: string, body: object = {}): Promise<number> {
  const answer = await app.call('POST', `/v1${path}`, { token: ann, body: { title: 'One', ...body } })
  assert.is(answer.status, 201, answer.text)
  return answer.body.data.id
}

/** Sends a picture that belongs to these records. */
function upload({ app }: State, token: string, records: Readonly<Record<string, number>>): Promise<Answer> {
  const line = (text: string) => Buffer.from(`${text}\r\n`)
  const form = (rest: string) => line(`--part\r\nContent-Disposition: form-data; ${rest}\r\n`)
  const fields = Object.entries(records).flatMap(([name, id]) => [form(`name="${name}"`), line(String(id))])
  const file = [form('name="file"; filename="cover.png"\r\nContent-Type: image/png'), PNG, line('')]
  const headers = { 'content-type': 'multipart/form-data; boundary=part' }
  return app.call('POST', '/v1/media', {
    token,
    headers,
    body: Buffer.concat([...fields, ...file, line('--part--')]),
  })
}

async function status({ app }: State, token: string, method: string, path: string, body?: object): Promise<number> {
  return (await app.call(method, `/v1${path}`, { token, ...(body && { body }) })).status
}

async function filesSeen({ app }: State, token: string): Promise<readonly number[]> {
  const answer = await app.call('GET', '/v1/media?sort=id', { token })
  return answer.body.data.map(({ id }: { id: number }) => id)
}

test('a record shows its files, each with its address below the application’s prefix', async (state) => {
  const { app, ben, book, file } = state
  const shown = await app.call('GET', `/v1/books/${book}`, { token: ben })
  const url = `/v1/media/${file}/download`
  assert.equal(shown.body.data.attachments, [
    { id: file, name: 'cover.png', size: PNG.length, mime_type: 'image/png', url },
  ])
  const alone = await app.call('GET', `/v1/media/${file}`, { token: ben })
  assert.equal([alone.body.data.book_id, alone.body.data.diary_id], [book, null])
  assert.is(await status(state, ben, 'GET', `/media/${file}/download`), 200)
  const listed = await app.call('GET', `/v1/media?book_id=${book}`, { token: ben })
  assert.is(listed.body.data.length, 1)
})

test('who sees a record but may not change it adds, renames and deletes no file of it', async (state) => {
  const { ann, ben, book, file } = state
  assert.is((await upload(state, ben, { book_id: book })).status, 403)
  assert.is(await status(state, ben, 'PATCH', `/media/${file}`, { name: 'mine.png' }), 403)
  assert.is(await status(state, ben, 'DELETE', `/media/${file}`), 403)
  assert.is(await status(state, ann, 'PATCH', `/media/${file}`, { name: 'front.png' }), 200)
  const more = (await upload(state, ann, { book_id: book })).body.data.id
  assert.is(await status(state, ann, 'DELETE', `/media/${more}`), 204)
})

test('who does not see a record sees no file of it, and learns nothing of it by sending one', async (state) => {
  const { app, ann, ben, diary } = state
  const answer = await upload(state, ann, { diary_id: diary })
  assert.is(answer.status, 201, answer.text)
  const { id } = answer.body.data
  assert.is(await status(state, ben, 'GET', `/media/${id}`), 403)
  assert.is(await status(state, ben, 'GET', `/media/${id}/download`), 403)
  assert.equal([(await filesSeen(state, ben)).includes(id), (await filesSeen(state, ann)).includes(id)], [false, true])
  const [hidden, absent] = [await upload(state, ben, { diary_id: diary }), await upload(state, ben, { diary_id: 999 })]
  assert.equal([hidden.status, hidden.body.errors], [absent.status, absent.body.errors])
  const own = await app.call('GET', '/v1/diaries', { token: ann })
  assert.equal(own.body.data[0].attachments, [{ id, name: 'cover.png' }])
})

test('people have files too, which are not those that they sent', async (state) => {
  const { app, ann, ben } = state
  const { id } = (await app.call('GET', '/v1/auth/me', { token: ann })).body.data
  const answer = await upload(state, ann, { user_record_id: id })
  assert.is(answer.status, 201, answer.text)
  assert.is((await upload(state, ben, { user_record_id: id })).status, 403)
  assert.is(await status(state, ben, 'GET', `/media/${answer.body.data.id}`), 403)
  const me = await app.call('GET', `/v1/users/${id}`, { token: ann })
  assert.equal(
    me.body.data.attachments.map((file: { id: number }) => file.id),
    [answer.body.data.id],
  )
})

test('a record that turns private closes its files', async (state) => {
  const { ann, ben } = state
  const book = await made(state, '/books')
  const { id } = (await upload(state, ann, { book_id: book })).body.data
  assert.is(await status(state, ben, 'GET', `/media/${id}`), 200)
  assert.is(await status(state, ann, 'PATCH', `/books/${book}`, { is_draft: true }), 200)
  assert.equal(
    [await status(state, ben, 'GET', `/media/${id}`), await status(state, ann, 'GET', `/media/${id}`)],
    [403, 200],
  )
})

test('a file belongs to one record for good', async (state) => {
  const { ann, book, diary, file } = state
  const loose = await upload(state, ann, {})
  assert.is(loose.status, 422, loose.text)
  const which = 'Say which record the file belongs to: user_record_id, book_id, diary_id or page_id'
  assert.equal(loose.body.errors, { book_id: [which], diary_id: [which], page_id: [which], user_record_id: [which] })
  assert.is((await upload(state, ann, { book_id: book, diary_id: diary })).status, 403)
  const other = await made(state, '/books')
  assert.is(await status(state, ann, 'PATCH', `/media/${file}`, { book_id: other }), 403)
})

test('files of each kind of record are renamed by whoever may change it', async (state) => {
  const { ann, book, diary } = state
  const files = [await upload(state, ann, { book_id: book }), await upload(state, ann, { diary_id: diary })]
  for (const name of ['one.png', 'two.png'])
    for (const { body } of files) assert.is(await status(state, ann, 'PATCH', `/media/${body.data.id}`, { name }), 200)
})

test('a condition that compares values of the record compares them for its files too', async (state) => {
  const { ann, app, ben } = state
  const page = await made(state, '/pages', { name: 'One' })
  const { id } = (await upload(state, ann, { page_id: page })).body.data
  const seen = async () => [
    await status(state, ben, 'GET', `/pages/${page}`),
    await status(state, ben, 'GET', `/media/${id}`),
  ]
  assert.equal(await seen(), [200, 200])
  assert.is(await status(state, ann, 'PATCH', `/pages/${page}`, { name: 'Another' }), 200)
  assert.equal(await seen(), [403, 403])
  // A file may be called as the record is.
  assert.is(await status(state, ann, 'PATCH', `/pages/${page}`, { title: 'cover.png' }), 200)
  assert.equal(await seen(), [403, 403])
  assert.is(await status(state, ann, 'PATCH', `/pages/${page}`, { name: 'cover.png' }), 200)
  await app.call('POST', '/v1/lines', { token: ann, body: { page_id: page, place: 1 } })
  assert.equal(await seen(), [200, 200])
  await app.call('POST', '/v1/lines', { token: ann, body: { page_id: page, place: 2 } })
  assert.equal(await seen(), [403, 403])
})

test('files of a deleted record are closed, come back with it, and go with one that is gone', async (state) => {
  const { app, ann } = state
  const [book, diary] = [await made(state, '/books'), await made(state, '/diaries')]
  const ofBook = (await upload(state, ann, { book_id: book })).body.data.id
  const ofDiary = (await upload(state, ann, { diary_id: diary })).body.data.id
  assert.is(await status(state, ann, 'DELETE', `/books/${book}`), 204)
  assert.is(await status(state, ann, 'GET', `/media/${ofBook}/download`), 403)
  assert.is(await status(state, ann, 'PATCH', `/media/${ofBook}`, { name: 'x.png' }), 403)
  await app.engine.database.knex('books').where({ id: book }).update({ deleted_at: null })
  assert.is(await status(state, ann, 'GET', `/media/${ofBook}/download`), 200)
  assert.is(await status(state, ann, 'DELETE', `/diaries/${diary}`), 204)
  assert.is(await status(state, ann, 'GET', `/media/${ofDiary}`), 404)
})

test('without a resource that has files nobody may send one, and an application without accounts has files too', async () => {
  const app = await application({ resources: { 'app.yaml': 'name: Empty\nplugins: { media: {} }\n' } })
  assert.is((await app.call('GET', '/media')).status, 401)
  await app.close()
  const open = 'policies: { view: [{ who: anyone }], create: [], update: [{ who: anyone }], delete: [] }'
  const board = await application({
    resources: {
      'app.yaml': 'name: Board\nprefix: /v1\nplugins: { media: {} }\n',
      'walls.yaml': `resource: walls\nattachments: true\nfields: { name: { type: string } }\n${open}\nseeds: { key: name, rows: [{ name: North }] }\n`,
    },
  })
  const answer = await upload({ app: board } as State, '', { wall_id: 1 })
  assert.is(answer.status, 201, answer.text)
  await board.close()
})

test.run()
