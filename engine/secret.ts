/** ⇄ The application's secret, from APP_SECRET or made once and kept with the data; and the keys made from it, which sign tokens and make those that seal. */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, readFile, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { flush, makeFolder, writeWhole } from './disk/files.ts'
import { memo } from './memo.ts'
import type { Settings } from './settings.ts'

/** All valid secrets, the present one first: keys are made from them, and they have no other use. */
export async function secretsOf(settings: Pick<Settings, 'appSecrets' | 'dataDir'>): Promise<readonly string[]> {
  return settings.appSecrets.length > 0 ? settings.appSecrets : [await keptSecret(settings.dataDir)]
}

/**
 * Checks the stored secret, where one is needed and exists, so that the start finds a bad file, and not the first
 * person who signs in; rejects with a sentence for people.
 */
export async function checkSecret(settings: Pick<Settings, 'appSecrets' | 'dataDir'>): Promise<void> {
  const file = join(settings.dataDir, 'secret')
  if (settings.appSecrets.length === 0 && existsSync(file)) await readSecret(file)
}

async function keptSecret(dataDir: string): Promise<string> {
  const file = join(dataDir, 'secret')
  if (!existsSync(file)) {
    await makeFolder(dataDir)
    await makeSecret(file)
  }
  return readSecret(file)
}

/** Characters of a generated secret. */
const LENGTH = 64
const REMEDY =
  'Put the right file back from a backup, set APP_SECRET, or remove the file: then a new one is made, everybody signs in again, and mails that still wait are lost.'

async function readSecret(file: string): Promise<string> {
  const refused = (reason: string): Error => new Error(`${resolve(file)} ${reason}. ${REMEDY}`)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw refused(`cannot be read (${error.code ?? error.message})`)
  })
  const secret = text.trim()
  if (secret === '') throw refused('is empty: it should hold the secret of the application')
  // A file that a crash left empty has NULs.
  if (/[\p{Cc}\ufffd]/u.test(secret)) throw refused('is damaged: a secret is one line of text')
  // Written with a line end.
  if (secret.length < 32 || (secret.length < LENGTH && secret === text && /^[\w-]+$/.test(text)))
    throw refused(`is cut off: it holds ${secret.length} characters, and a secret that was made has ${LENGTH}`)
  return secret
}

/**
 * Written as a whole under another name first: of two processes that start together one succeeds, and neither reads a
 * part.
 */
async function makeSecret(file: string): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  try {
    await writeWhole(draft, `${randomBytes(48).toString('base64url')}\n`)
    await link(draft, file)
    await flush(dirname(file))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    await rm(draft, { force: true })
  }
}

/** Keys by their id; `current` is the id of the one that signs and seals, all of them verify and open. */
export interface Keys {
  readonly current: string
  readonly byId: ReadonlyMap<string, Uint8Array>
}

/** The keys of settings, once they were asked for. */
const heldBy = memo((_: Settings): { keys?: Promise<Keys> } => ({}))

/** The keys of these settings, read or made once. */
export function keysOf(settings: Settings): Promise<Keys> {
  const held = heldBy(settings)
  if (held.keys === undefined) {
    held.keys = loadKeys(settings)
    // A full disk is no reason to refuse everybody until the next start.
    held.keys.catch(() => delete held.keys)
  }
  return held.keys
}

async function loadKeys(settings: Settings): Promise<Keys> {
  const secrets = await secretsOf(settings)
  // Hashed, so that the key is 32 bytes whatever the secret's length, and its id tells nothing of it.
  const keys = secrets.map((secret) => createHash('sha256').update(`plinth token key\0${secret}`).digest())
  const pairs = keys.map(
    (key) => [createHash('sha256').update(key).digest('hex').slice(0, 12), new Uint8Array(key)] as const,
  )
  return { current: pairs[0]?.[0] ?? '', byId: new Map(pairs) }
}
