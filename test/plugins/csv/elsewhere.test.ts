/** The csv plugin in another application: its own columns, its own keys, mistakes in its YAML, and takers who are slow. */
import { mkdir, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../../support/application.ts'

const csv = suite('csv elsewhere')

const APP = `name: Shop
prefix: ''
plugins: { timestamps: {}, soft_delete: {}, csv: { import_rows: 2000 } }
`
const MAKERS = `resource: makers
fields:
  name: { type: string, required: true, unique: true }
  code: { type: string }
policies: { view: [{ who: anyone }], create: [{ who: anyone }] }
`

function articles(columns: string): string {
  return `resource: articles
fields:
  number:  { type: string, required: true, unique: true, max: 20 }
  title:   { type: string, required: true }
  price:   { type: decimal, precision: 10, scale: 2 }
  sizes:   { type: list, of: integer, default: [] }
  in_shop: { type: boolean, default: true }
  notes:   { type: text }
  secret:  { type: string, read: { role: admin } }
relations:
  maker: { belongs_to: makers, embed: [id, name] }
search: [title]
policies: { view: [{ who: anyone }], create: [{ who: anyone }] }
csv:
  export: [{ who: anyone }]
  import: [{ who: anyone }]
  columns: ${columns}
`
}

const COLUMNS =
  '{ Number: { path: number, key: true, required: true }, Title: { path: title, otherwise: Number }, Price: price, Sizes: sizes, In Shop: in_shop, Maker: { path: maker.name, match: [name, code] }, Secret: secret, Notes: notes }'

let shop: TestApplication

csv.before(async () => {
  shop = await application({
    resources: { 'app.yaml': APP, 'makers.yaml': MAKERS, 'articles.yaml': articles(COLUMNS) },
  })
  await shop.call('POST', '/makers', { body: { name: 'Acme, Ltd', code: 'AC' } })
})

csv.after(() => shop.close())

function importText(text: string) {
  const body = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n${text}\r\n--b--\r\n`
  return shop.call('POST', '/articles/import', { body, headers: { 'content-type': 'multipart/form-data; boundary=b' } })
}

csv('any resource has its own columns, keys and stand-ins', async () => {
  const text =
    'number,title,price,sizes,in shop,maker\nA-1,"Chair, red",19.50,38;40,false,ac\nA-2,,,,,"acme, ltd"\nA-1,Again,,,,\n'
  const answer = await importText(text)
  assert.is(answer.status, 200, answer.text)
  assert.equal([answer.body.data.imported, answer.body.data.skipped, answer.body.data.errors], [2, 1, []])
  const exported = await shop.call('GET', '/articles/export?bom=false')
  const wanted =
    'Number,Title,Price,Sizes,In Shop,Maker,Secret,Notes\nA-1,"Chair, red",19.50,38;40,false,"Acme, Ltd",,\nA-2,A-2,,,true,"Acme, Ltd",,\n'
  assert.is(exported.text, wanted)
})

csv('what the caller may not read is not in the file, and what they may not write is refused row by row', async () => {
  await shop.engine.database.adhoc.run({ text: `update articles set secret = 'hidden'` }, [])
  assert.not.match((await shop.call('GET', '/articles/export')).text, /hidden/)
})

csv('a file with more rows than allowed is refused before any is written', async () => {
  const answer = await importText(`Number\n${Array.from({ length: 2_001 }, (_, i) => `B-${i}`).join('\n')}`)
  assert.is(answer.status, 422)
  assert.match(answer.body.errors.file[0], /more than 2000 rows/)
  assert.not.match((await shop.call('GET', '/articles/export')).text, /B-/)
})

csv('someone who takes the file slowly, or not to its end, holds up nobody', async () => {
  const text = `insert into articles (number, title, notes, created_at, updated_at)
    select 'C-' || i, 'Many', repeat(md5(i::text), 60), now(), now() from generate_series(1, 4000) i`
  await shop.engine.database.adhoc.run({ text }, [])
  await new Promise<void>((resolve, reject) => {
    const call = request(new URL('/articles/export', shop.address), { agent: false }, (response) => {
      response.once('data', () => {
        response.pause()
        shop
          .call('GET', '/articles?per_page=1')
          .then((answer) => {
            assert.is(answer.status, 200)
            call.destroy()
            resolve()
          })
          .catch(reject)
      })
    })
    call.on('error', () => undefined)
    call.end()
  })
  assert.is((await shop.call('GET', '/articles/export')).text.split('\n').length, 4_004)
})

csv('the command imports as the system, and its code says whether all of it is in', async () => {
  const path = join(shop.dataDir, 'articles.csv')
  await mkdir(shop.dataDir, { recursive: true })
  const run = (...args: readonly string[]) => shop.engine.command('import', args)
  await writeFile(path, 'Number,Title\nD-1,From a terminal\n')
  assert.is(await run('articles', path, '--dry-run'), 0)
  assert.not.match((await shop.call('GET', '/articles/export')).text, /D-1/)
  assert.is(await run('articles', path), 0)
  assert.match((await shop.call('GET', '/articles/export')).text, /D-1,From a terminal/)
  await writeFile(path, 'Number,Price\nD-2,not a price\n')
  assert.is(await run('articles', path), 1)
  await writeFile(path, 'Title\nNo number\n')
  assert.is(await run('articles', path), 1)
  assert.is(await run('article', path), 2)
  assert.is(await run('articles', `${path}.not`), 2)
  assert.is(await run('articles'), 2)
  await writeFile(path, 'No;Name;Other\nD-3;Renamed;x\n')
  assert.is(await run('articles', path), 1)
  assert.is(await run('articles', path, '--map=No:Number,Name:Title,*:'), 0)
  assert.match((await shop.call('GET', '/articles/export')).text, /D-3,Renamed/)
  assert.is(await run('articles', path, '--mapp=No:Number'), 2)
  assert.is(await run('articles', path, '--dry-run=maybe'), 2)
})

async function mistakes(columns: string): Promise<string> {
  try {
    const started = await application({
      resources: { 'app.yaml': APP, 'makers.yaml': MAKERS, 'articles.yaml': articles(columns) },
    })
    await started.close()
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

csv('a column that leads nowhere is a mistake of the YAML', async () => {
  assert.match(await mistakes('{ Number: number, Maker: { path: maker.name, match: [nam] } }'), /csv\/unknown_column/)
  const titles = await mistakes('{ Number: number, NUMBER: title, Title: { path: title, otherwise: Numbr } }')
  assert.match(titles, /csv\/same_title/)
  assert.match(titles, /did you mean "Number"/)
  const create = '{ Number: number, Maker: { path: maker.name, create: { in: makers, from: { Code: Numbr } } } }'
  assert.match(await mistakes(create), /csv\/wrong_create.*"Maker" creates makers, where no column has the path name/)
  assert.match(await mistakes('{ Number: { path: title, words: [title, subtitle] } }'), /csv\/unknown_column/)
  const both = await mistakes('{ Number: number, Title: titel, Maker: maker.nam }')
  assert.match(both, /csv: the column "Title": articles has no column titel[\s\S]*did you mean "title"\?/)
  assert.match(both, /csv: the column "Maker": articles has no column maker\.nam/)
})

csv('a file has as many columns as its resource, whichever of them are empty', async () => {
  const names = Array.from({ length: 60 }, (_, i) => `f${i + 1}`)
  const kind = (i: number): string => ['string', 'integer', 'boolean', 'timestamp'][i % 4]!
  const wide = `resource: wide
fields: { ${names.map((name, i) => `${name}: { type: ${kind(i)} }`).join(', ')} }
policies: { view: [{ who: anyone }], create: [{ who: anyone }] }
csv: { export: [{ who: anyone }], columns: { ${names.map((name) => `${name}: ${name}`).join(', ')} } }
`
  const app = await application({ resources: { 'app.yaml': APP, 'wide.yaml': wide } })
  try {
    const written = { f1: 'first', f48: '2026-01-02T03:04:05.000000Z', f49: 'a,b', f50: 50, f51: false, f57: '' }
    await app.call('POST', '/wide', { body: written })
    await app.call('POST', '/wide', { body: {} })
    const { text } = await app.call('GET', '/wide/export?bom=false')
    const cells = names.map((name) => (name === 'f49' ? '"a,b"' : String(written[name as 'f1'] ?? '')))
    assert.equal(text.split('\n'), [names.join(','), cells.join(','), ','.repeat(59), ''])
  } finally {
    await app.close()
  }
})

csv.run()
