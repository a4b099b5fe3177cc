/** Resources with ids of different types in one application: what names records of any of them serves each. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { failedRuns } from '../../engine/automation/state.ts'
import { failedChanges } from '../../engine/change/state.ts'
import { PNG } from '../plugins/media/world.ts'
import { type Data, type Library, libraryFiles, libraryOf, OPEN, openReceiver } from '../plugins/webhooks/world.ts'
import { follow } from '../stream/client.ts'
import { application } from '../support/application.ts'
import { until } from '../support/wait.ts'

const POLICIES =
  'policies: { view: [{ role: admin }, { role: editor, where: { is_open: true } }], create: [{ role: admin }], update: [{ role: admin }], delete: [{ role: admin }], restore: [{ role: admin }] }'

/** A resource that everything hears of. */
function heardOf(name: string, id: string, ...more: readonly string[]): string {
  return [
    `resource: ${name}`,
    `id: ${id}`,
    'soft_delete: true',
    'restore: true',
    'stream: true',
    'activity: true',
    'attachments: true',
    'fields: { name: { type: string }, note: { type: string }, is_open: { type: boolean, default: true, nullable: false } }',
    'search: [name]',
    POLICIES,
    ...more,
  ].join('\n')
}

const OFFERED = [
  'webhooks: true',
  'automations: { noted: { on: [create], when: { name: Noted }, set: { note: By itself } } }',
]

function filesWith(parcels: string): Readonly<Record<string, string>> {
  const { 'app.yaml': app = '', 'roles.yaml': roles = '' } = libraryFiles(OPEN)
  return {
    'app.yaml': app.replace('soft_delete: {},', 'soft_delete: {}, activity: {}, jobs: {}, media: {},'),
    'roles.yaml': roles,
    'books.yaml': heardOf('books', 'integer', ...OFFERED),
    'films.yaml': heardOf('films', '{ type: integer, column: film_no }', ...OFFERED),
    'parcels.yaml': heardOf('parcels', parcels, 'relations: { book: { belongs_to: books, embed: [id, name] } }'),
    'tins.yaml': `resource: tins\nid: string\nlog_changes: true\n${POLICIES.replace(/, where: { is_open: true }/, '')}\nrelations: { parcels: { many_to_many: parcels, embed: [id] } }`,
  }
}

for (const type of ['integer', 'bigint', 'uuid', 'string']) {
  const test = suite(`ids together: ${type}`)
  let library: Library
  test.before(async () => {
    const env = { ADMIN_EMAIL: 'boss@library.example', ADMIN_PASSWORD: 'a very long secret' }
    library = await libraryOf(await application({ resources: filesWith(type), env }))
  })
  test.after(() => library?.close())

  let made = 0
  const make = (path: string, body: object): Promise<Data> => {
    made += 1
    const chosen = path === '/tins' || (path === '/parcels' && type === 'string')
    return library.must('POST', path, { ...(chosen && { id: `chosen-${made}` }), ...body })
  }

  for (const path of ['/books', '/films'])
    test(`webhooks hear of ${path}, with a condition, for an owner who sees some, and again`, async () => {
      const receiver = await openReceiver()
      const name = path.slice(1)
      const editor = await library.person('editor', `Editor${name}${type}`)
      try {
        const hook = (more: object, token?: string): Promise<Data> =>
          library.must('POST', '/webhooks', { name: 'A', address: receiver.url, events: [`${name}.*`], ...more }, token)
        const all = await hook({})
        const some = await hook({ where: { name: 'Asked for' } })
        const seen = await hook({}, editor.token)
        await make('/parcels', { name: 'Asked for' })
        const asked = await make(path, { name: 'Asked for' })
        const hidden = await make(path, { name: 'Hidden', is_open: false })
        await library.heard()
        await library.must('DELETE', `${path}/${asked.id}`)
        await library.must('POST', `${path}/${asked.id}/restore`)
        await library.heard()
        const events = async ({ id }: Data) =>
          (await library.deliveries(id)).map(({ event, record_id }) => `${event} ${record_id}`)
        const own = ['create', 'delete', 'restore'].map((action) => `${name}.${action} ${asked.id}`)
        const other = `${name}.create ${hidden.id}`
        assert.equal(await events(all), [own[0], other, own[1], own[2]])
        assert.equal(await events(some), own)
        assert.equal(await events(seen), own)
        await until(async () => receiver.received.length >= 10)
        // Messages of two records come in any order.
        const created = receiver.received.filter(({ json }) => json.type === `${name}.create`)
        assert.ok(created.some(({ json }) => json.data.id === asked.id))
        const again = await library.must('POST', `/webhooks/${all.id}/replay`, { since: '2020-01-01T00:00:00Z' })
        assert.is(again.queued, 4)
        for (const { id } of [all, some, seen]) await library.must('DELETE', `/webhooks/${id}`)
      } finally {
        await receiver.close()
      }
    })

  for (const path of ['/books', '/films', '/parcels'])
    test(`${path}: activity, search, streams and a key that comes again name the record`, async () => {
      const headers = { authorization: `Bearer ${library.admin}` }
      const reading = await follow(library.app.address, `/api${path}/stream`, headers)
      await reading.come(1)
      const record = await make(path, { name: 'Noted' })
      await library.heard()
      await library.must('PUT', `${path}/${record.id}`, { name: 'Named' })
      await until(async () => reading.events.at(-1)?.data.name === 'Named')
      const last = reading.lastId()
      reading.close()
      await library.must('DELETE', `${path}/${record.id}`)
      const other = await make(path, { name: 'Other' })
      const further = await follow(library.app.address, `/api${path}/stream`, { ...headers, 'last-event-id': last })
      await further.come(2)
      assert.equal([...further.told()].sort(), [`created ${other.id}`, `deleted ${record.id}`])
      further.close()
      await library.must('POST', `${path}/${record.id}/restore`)
      const { list } = await library.call('GET', `${path}/${record.id}/activity`)
      const acted = ['restored', 'deleted', 'updated', ...(path === '/parcels' ? [] : ['updated']), 'created']
      assert.equal(
        list.map(({ action }) => action),
        acted,
      )
      assert.is((await library.must('GET', `${path}/${record.id}`)).note, path === '/parcels' ? null : 'By itself')
      assert.equal(
        (await library.must('GET', `${path}?search=Other`)).map(({ id }: Data) => id),
        [other.id],
      )
      const body = type === 'string' && path === '/parcels' ? { id: 'key', name: 'Once' } : { name: 'Once' }
      const once = () =>
        library.app.call('POST', `/api${path}`, {
          token: library.admin,
          body,
          headers: { 'idempotency-key': `one of ${path}` },
        })
      const [first, second] = [await once(), await once()]
      assert.equal([first.status, second.status, second.at('data.id')], [201, 201, first.at('data.id')])
    })

  test('files of records of each', async () => {
    for (const [path, field] of [
      ['/books', 'book_id'],
      ['/films', 'film_id'],
      ['/parcels', 'parcel_id'],
    ] as const) {
      const record = await make(path, {})
      const form = new FormData()
      form.set(field, String(record.id))
      form.set('file', new Blob([PNG], { type: 'image/png' }), 'cover.png')
      const sent = await fetch(`${library.app.address}/api/media`, {
        method: 'POST',
        headers: { authorization: `Bearer ${library.admin}` },
        body: form,
      })
      assert.is(sent.status, 201, await sent.clone().text())
      const { data } = (await sent.json()) as Data
      assert.is(data[field], record.id)
      const [file] = (await library.must('GET', `${path}/${record.id}`)).attachments
      assert.equal([file.id, file.name], [data.id, 'cover.png'])
    }
  })

  test('links between ids of two types, and nothing is left undone by anybody who hears', async () => {
    const parcel = await make('/parcels', { name: 'In a tin', book_id: (await make('/books', {})).id })
    const tin = await make('/tins', { parcel_ids: [parcel.id] })
    assert.equal(tin.parcels, [{ id: parcel.id }])
    await library.heard()
    const { database } = library.app.engine
    assert.equal(await failedChanges(database.adhoc, 10), [])
    assert.equal(await failedRuns(database.adhoc, 10), [])
  })

  test.run()
}
