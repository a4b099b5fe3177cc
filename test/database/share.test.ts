/** Bytes on the socket of an embedded database that are no message: that connection ends, and the database goes on. */
import { mkdtemp, rm } from 'node:fs/promises'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connect } from '../../engine/database/connect.ts'
import type { Database } from '../../engine/database/database.ts'
import { findSocket } from '../../engine/database/socket.ts'
import { SILENT } from '../support/database.ts'

const test = suite('the socket of an embedded database')
let dataDir: string
let database: Database

test.before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'plinth-share-'))
  database = await connect({ databaseUrl: undefined, dataDir }, { log: SILENT })
  await database.admitCommands?.()
})
test.after(async () => {
  await database.close()
  await rm(dataDir, { recursive: true, force: true })
})

/** Sends bytes, and gives what comes back until the other side ends the connection. */
async function answerTo(bytes: Buffer): Promise<string> {
  const socket = net.connect(await findSocket(dataDir))
  let heard = ''
  socket.on('data', (part) => {
    heard += part.toString('latin1')
  })
  socket.write(bytes)
  await new Promise((resolve) => socket.once('close', resolve))
  return heard
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const BEGIN = Buffer.concat([int32(8), int32(196_608)])
const wrong = fc.oneof(fc.constantFrom(-1, 0, 3, -0x8000_0000, 0x7fff_ffff), fc.integer({ min: -0x8000_0000, max: 3 }))

test('a length that no message can have ends its connection with a sentence', async () => {
  const type = fc.constantFrom(...'QPBDESCHdcfp\0\xff')
  await fc.assert(
    fc.asyncProperty(wrong, fc.option(type), fc.uint8Array({ maxLength: 20 }), async (length, kind, more) => {
      const said = kind === null ? [int32(length), more] : [BEGIN, Buffer.from(kind, 'latin1'), int32(length), more]
      assert.match(await answerTo(Buffer.concat(said)), `a message says that it has ${length} bytes`)
    }),
    { numRuns: 60 },
  )
  const [row] = await database.adhoc.run({ text: 'select 1' }, [])
  assert.equal(row, ['1'])
})

test.run()
