/** The findings of the doctor about a deployment without faults, and about each fault around the application. */
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connect } from '../../engine/database/connect.ts'
import { THRESHOLDS } from '../../engine/doctor/finding.ts'
import { SILENT, testDatabase } from '../support/database.ts'
import { closeShop, folder, look, of, openShop, SECRET } from './world.ts'

const doctor = suite('doctor')
let smtp: Server

doctor.before(async () => {
  await openShop()
  smtp = createServer((socket) => {
    socket.write('220 mail.example\r\n')
    socket.on('error', () => {})
    socket.on('data', (line) => {
      const said = String(line)
      if (said.startsWith('EHLO')) socket.write('250-mail.example\r\n250 AUTH PLAIN\r\n')
      else if (said.includes(Buffer.from('\0ann\0right').toString('base64'))) socket.write('235 welcome\r\n')
      else if (said.startsWith('AUTH')) socket.write('535 hunter22 is wrong\r\n')
      else socket.end('221 bye\r\n')
    })
  })
  await new Promise<void>((done) => smtp.listen(0, '127.0.0.1', done))
})
doctor.after(async () => {
  smtp?.close()
  await closeShop()
})

function smtpUrl(password: string): string {
  const address = smtp.address()
  return `smtp://ann:${password}@127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

doctor('of a deployment in order, every line is ok, and there is one for each check', async () => {
  const found = await look()
  const amiss = found.filter(({ check, level }) => level !== 'ok' && check !== 'database')
  assert.equal(amiss, [])
  const checks = [...new Set(found.map(({ check }) => check))]
  const engine = [
    'secret',
    'proxy',
    'data',
    'database',
    'versions',
    'clock',
    'extensions',
    'tables',
    'growth',
    'work',
    'queries',
  ]
  assert.equal(checks, [...engine, 'redis', 'mail', 'media'])
})

doctor('a variable that is written nearly as one that is not set is told of', async () => {
  for (const [written, meant] of [
    ['TRUST_PROXI', 'TRUST_PROXY'],
    ['REDIS_URLS', 'REDIS_URL'],
    ['CORS_ORGIN', 'CORS_ORIGIN'],
  ])
    assert.equal(of('settings', await look({}, { [written!]: '1' })), [
      `warning nothing reads the environment variable ${written}, and ${meant} is not set`,
    ])
  const others = { PATHS: '1', MYSQL_DATABASE_URL: '1', AI_MODEL: 'x', SMTP_FROM: 'x', REDIS_URLS: '' }
  assert.equal(of('settings', await look({}, others)), [])
})

doctor('a secret that is damaged, or that others can read, is a problem', async () => {
  const file = join(folder, 'data/secret')
  writeFileSync(file, 'short\n')
  assert.match(of('secret', await look({}, { APP_SECRET: '' })).join(), /^problem .*secret is cut off/)
  writeFileSync(file, `${SECRET}${SECRET}\n`)
  chmodSync(file, 0o644)
  assert.match(of('secret', await look({}, { APP_SECRET: '' })).join(), /^problem others can read /)
  chmodSync(file, 0o600)
  assert.match(
    of('secret', await look({}, { APP_SECRET: '', NODE_ENV: 'production' })).join(),
    /^warning the secret is kept/,
  )
  rmSync(file)
})

doctor('a proxy that nobody counts, and a public address that is not set, are problems', async () => {
  const https = { BASE_URL: 'https://shop.example', NODE_ENV: 'production', METRICS_TOKEN: 'a long token' }
  assert.match(of('proxy', await look({}, https)).join(), /^problem .*TRUST_PROXY is 0/)
  assert.equal(of('proxy', await look({}, { ...https, TRUST_PROXY: '1' })), [
    'ok served as https://shop.example, behind one proxy',
  ])
  assert.match(
    of('proxy', await look({}, { NODE_ENV: 'production', BASE_URL: '' })).join(),
    /^problem BASE_URL is not set/,
  )
  const open = { BASE_URL: 'http://shop.example', NODE_ENV: 'production', METRICS_TOKEN: 'a long token' }
  assert.match(of('proxy', await look({}, open)).join(), /^warning BASE_URL is http/)
})

doctor('a folder that takes no writes, has no room or is open to others is told', async () => {
  const file = join(folder, 'no-folder')
  writeFileSync(file, '')
  assert.match(
    of('data', await look({}, { DATA_DIR: file })).join(),
    /^problem .*no-folder cannot be written to: ENOTDIR/,
  )
  const full = { thresholds: { ...THRESHOLDS, roomMb: 1_000_000_000 } }
  assert.match(of('data', await look(full)).join(), /^problem [\d,]+ MB are free .*the database takes no writes/)
  chmodSync(join(folder, 'data'), 0o755)
  assert.match(of('data', await look()).join(), /^warning others can look into/)
  chmodSync(join(folder, 'data'), 0o700)
})

doctor('a database that is out is one problem, and the rest is looked at all the same', async () => {
  const away = { databaseUrl: 'postgres://me:hidden-word@127.0.0.1:1/shop', dataDir: '' }
  const found = await look({ open: () => connect(away, { log: SILENT }) })
  assert.match(of('database', found).join(), /^problem .*ECONNREFUSED/)
  assert.not.match(JSON.stringify(found), 'hidden-word')
  assert.equal(of('queries', found), [])
  assert.is(of('redis', found).length, 1)
})

doctor('of a database from which nothing was served yet, nothing that a start makes is missed', async () => {
  const empty = await testDatabase()
  try {
    const found = await look({ open: async () => ({ ...empty.database, close: () => Promise.resolve() }) })
    for (const check of ['growth', 'work'])
      assert.equal(of(check, found), ['ok nothing was served from this database yet'])
  } finally {
    await empty.close()
  }
})

doctor('a Redis that is out is a problem', async () => {
  const found = await look({}, { REDIS_URL: 'redis://:hidden-word@127.0.0.1:1' })
  assert.match(of('redis', found).join(), /^problem Redis at 127\.0\.0\.1:1 does not serve: .*ECONNREFUSED/)
  assert.not.match(JSON.stringify(found), 'hidden-word')
})

doctor('a mail server is connected to and signed in at, and a password stands in no line', async () => {
  const told = async (password: string, more = {}) =>
    of('mail', await look({}, { SMTP_URL: smtpUrl(password), ...more })).join()
  assert.match(await told('right', { MAIL_FROM: 'shop@shop.example' }), /^ok 127\.0\.0\.1:\d+ takes mail$/)
  assert.match(await told('right'), /^warning .*from no-reply@localhost$/)
  const refused = await look({}, { SMTP_URL: smtpUrl('hunter22') })
  assert.match(of('mail', refused).join(), /^problem 127\.0\.0\.1:\d+ takes no mail: .*535/)
  assert.not.match(JSON.stringify(refused), 'hunter22')
  assert.match(of('mail', await look({}, { SMTP_URL: 'smtp://127.0.0.1:1' })).join(), /^problem .*ECONNREFUSED/)
  assert.match(of('mail', await look({}, { NODE_ENV: 'production' })).join(), /^warning SMTP_URL is not set/)
})

doctor('a storage of files that does not answer is a problem', async () => {
  const s3 = {
    S3_ENDPOINT: 'http://127.0.0.1:1',
    S3_BUCKET: 'shop',
    S3_ACCESS_KEY: 'abcdefgh',
    S3_SECRET_KEY: 'hidden-word',
  }
  const found = await look({}, s3)
  assert.match(of('media', found).join(), /^problem files cannot be stored: /)
  assert.not.match(JSON.stringify(found), 'hidden-word')
})

doctor('a clock that is wrong is a problem', async () => {
  const ahead = await look({ now: () => new Date(Date.now() + 61_000) })
  assert.match(
    of('clock', ahead).join(),
    /^problem the clock of this machine is 6[01]\.\d s ahead of that of the database/,
  )
  const behind = await look({ now: () => new Date(Date.now() - 61_000) })
  assert.match(of('clock', behind).join(), / s behind that of the database/)
})

doctor.run()
