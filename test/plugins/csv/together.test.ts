/** Dry runs of files whose rows have a say in each other: what one promises, the import does. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../../support/application.ts'

const csv = suite('dry runs of several rows')

const FILES = {
  'app.yaml': `name: Hall
prefix: ''
plugins: { timestamps: {}, soft_delete: {}, csv: {} }
`,
  'rooms.yaml': `resource: rooms
fields: { name: { type: string, required: true, unique: true }, free: { type: integer, default: 70 }, open: { type: boolean, default: true } }
rules: { not_less: { must: { free: { gte: 0 } }, says: The room is full } }
policies: { view: [{ who: anyone }], create: [{ who: anyone }] }
`,
  'seats.yaml': `resource: seats
fields:
  code:   { type: string, required: true, unique: true }
  guest:  { type: string }
  is_vip: { type: boolean, default: false }
  day:    { type: date }
relations: { room: { belongs_to: rooms } }
rules:
  few: { at_most: 60, where: { is_vip: true }, says: There are sixty already }
follows:
  - { of: room, on: [create, import], set: { free: { minus: [$record.room.free, 1] } } }
policies: { view: [{ who: anyone }], create: [{ who: anyone }] }
csv:
  import: [{ who: anyone }]
  columns: { Code: { path: code, required: true }, Guest: guest, VIP: is_vip, Room: { path: room.name, where: { open: true } } }
`,
}

let hall: TestApplication

csv.before(async () => {
  hall = await application({ resources: FILES })
  await hall.call('POST', '/rooms', { body: { name: 'Blue' } })
})
csv.after(() => hall.close())

function send(rows: readonly string[], query = '') {
  const text = ['Code,Guest,VIP,Room', ...rows].join('\n')
  const body = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n${text}\r\n--b--\r\n`
  return hall.call('POST', `/seats/import${query}`, {
    body,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  })
}

async function emptied(): Promise<void> {
  await hall.engine.database.adhoc.run({ text: 'delete from seats' }, [])
  await hall.engine.database.adhoc.run({ text: 'update rooms set free = 70' }, [])
}

const counts = ({ body }: { body: { data: Record<string, unknown> } }) => [body.data.imported, body.data.failed]

csv('a dry run promises no row that a rule about several records refuses', async () => {
  await emptied()
  const rows = Array.from({ length: 130 }, (_, n) => `S${n},G,true,`)
  const dry = await send(rows, '?dry_run=true')
  assert.is(dry.status, 200, dry.text)
  assert.equal(counts(dry), [60, 70])
  assert.match(JSON.stringify(dry.body.data.errors[0]), /There are sixty already/)
  assert.is((await hall.call('GET', '/seats')).body.meta.pagination?.total ?? 0, 0)
  assert.equal(counts(await send(rows)), [60, 70])
})

csv('nor one whose consequence in another record is refused, or whose value another row has', async () => {
  await emptied()
  const rows = Array.from({ length: 90 }, (_, n) => `T${n},G,false,Blue`)
  assert.equal(counts(await send(rows, '?dry_run=true')), [70, 20])
  assert.equal(counts(await send(rows)), [70, 20])
  await emptied()
  const twice = [...Array.from({ length: 60 }, (_, n) => `U${n},,,`), 'U0,,,', 'U59,,,']
  assert.equal(counts(await send(twice, '?dry_run=true')), [60, 2])
})

csv('a drawn file comes to what its dry run says, row by row', async () => {
  const row = fc
    .record({ code: fc.integer({ max: 90, min: 0 }), vip: fc.boolean(), room: fc.constantFrom('', 'Blue', 'None') })
    .map(({ code, room, vip }) => `V${code},,${vip},${room}`)
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 60, maxLength: 140 }), async (rows) => {
      await emptied()
      const dry = await send(rows, '?dry_run=true')
      const done = await send(rows)
      const told = (answer: typeof dry) =>
        answer.body.data.errors.map(({ errors, row: at }: { errors: object; row: number }) => [at, errors])
      assert.equal(told(dry), told(done))
      assert.equal(counts(dry), counts(done))
    }),
    { numRuns: 6 },
  )
})

csv('so does one at a terminal', async () => {
  await emptied()
  const path = join(hall.dataDir, 'seats.csv')
  await mkdir(hall.dataDir, { recursive: true })
  await writeFile(path, ['Code,VIP', ...Array.from({ length: 61 }, (_, n) => `W${n},true`)].join('\n'))
  assert.is(await hall.engine.command('import', ['seats', path, '--dry-run']), 1)
  assert.is((await hall.engine.database.adhoc.run({ text: 'select count(*) from seats' }, []))[0]?.[0], '0')
})

csv.run()
