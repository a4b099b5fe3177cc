/** The check of the storage for `plinth doctor` ⇄: writes a small file, reads it, and removes it. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ApiError, type CheckContext, type Finding } from '../../engine/index.ts'
import { storageOf } from './open-storage.ts'

export async function checkStorage({ settings }: CheckContext): Promise<readonly Finding[]> {
  const word = randomBytes(8).toString('hex')
  const folder = await mkdtemp(join(tmpdir(), 'plinth-doctor-'))
  const path = join(folder, word)
  try {
    const storage = storageOf(settings)
    await writeFile(path, word)
    await storage.put(`doctor/${word}`, { path, bytes: word.length, type: 'text/plain' })
    const back = await storage.read(`doctor/${word}`)
    const same = back !== undefined && (await text(back)) === word
    await storage.remove(`doctor/${word}`)
    if (same) return [{ level: 'ok', message: `${storage.description} takes files` }]
    const message = `${storage.description} does not give back what it took`
    return [{ level: 'problem', message, advice: 'see whether the user may read there' }]
  } catch (error) {
    const cause = error instanceof ApiError ? error.params.cause : error
    const told = cause instanceof Error ? cause.message : String(cause)
    return [
      {
        level: 'problem',
        message: `files cannot be stored: ${told}`,
        advice: 'correct the S3_… variables, or what the user may there',
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
