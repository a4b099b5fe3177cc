/** ⇄ The application's secret: from APP_SECRET, or made once and kept beside the data. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from './settings.ts'

/** All secrets that count, the present one first: keys are made from them, they themselves are used nowhere. */
export async function secretsOf(settings: Pick<Settings, 'appSecrets' | 'dataDir'>): Promise<readonly string[]> {
  return settings.appSecrets.length > 0 ? settings.appSecrets : [await keptSecret(settings.dataDir)]
}

async function keptSecret(dataDir: string): Promise<string> {
  const file = join(dataDir, 'secret')
  await mkdir(dataDir, { recursive: true })
  if (!existsSync(file)) await makeSecret(file)
  const secret = (await readFile(file, 'utf8')).trim()
  if (secret.length < 32)
    throw new Error(`${file} holds no secret; remove it, and a new one is made (everybody signs in again)`)
  return secret
}

/** Written whole under another name first: of two processes that start together one wins, and neither reads half. */
async function makeSecret(file: string): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, `${randomBytes(48).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  try {
    await link(draft, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    await unlink(draft)
  }
}
