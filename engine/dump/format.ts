/**
 * The format of a dump: a gzip of lines of JSON, in this order.
 *
 *     {"plinth":"dump","version":2,"name":…,"from":…,"secrets":[…],"structure":{…}}
 *     {"table":"notes","columns":["id","title"]}
 *     ["1","The text of each column as PostgreSQL writes it, or null"]
 *     {"rows":1,"checksum":"…"}
 *     {"file":"media/…/ab/….png","of":"media"}
 *     {"part":"base64"}
 *     {"bytes":3,"sha256":"…"}
 *     {"end":true,"tables":1,"rows":1,"files":1,"missing":0}
 *
 * `of` names the plugin. A file that a row names and that is not there has `"missing":true` and no parts. A dump without its last line is cut off.
 */

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../json.ts'
import { secretsOf } from '../secret.ts'
import type { Settings } from '../settings.ts'
import type { Existing } from './existing-tables.ts'
import type { Structure } from './structure.ts'

export const VERSION = 2

/** The version before, in which the statements of existing tables were texts, and nothing was asked for. */
const TEXTS = 1

/** The first line. */
export interface Head {
  readonly plinth: 'dump'
  readonly version: number
  /** The application's name, and which database it was. */
  readonly name: string
  readonly from: string
  readonly madeAt: string
  /** Fingerprints of the secrets that counted, the present one first. */
  readonly secrets: readonly string[]
  readonly structure: Structure
}

/** The counts of a dump or a load. */
export interface Tally {
  readonly tables: number
  readonly rows: number
  readonly files: number
  /** Files that rows name and that were not there. */
  readonly missing: number
}

/** The head in a line; throws a sentence where it is none, or one of another version. */
export function readHead(line: string): Head {
  const head = parsed(line)
  if (!isObject(head) || head.plinth !== 'dump') throw new Error('It is no dump of Plinth.')
  if (head.version === TEXTS) return withStatements(JSON.parse(line))
  if (head.version !== VERSION)
    throw new Error(`It has the version ${String(head.version)} of the format, and this Plinth reads ${VERSION}.`)
  return JSON.parse(line) as Head
}

type EarlierExisting = Omit<Existing, 'before' | 'after' | 'extensions' | 'asked'> & {
  readonly before: readonly string[]
  readonly after: readonly string[]
}
type EarlierHead = Omit<Head, 'structure'> & {
  readonly structure: Omit<Structure, 'existing'> & { readonly existing?: EarlierExisting }
}

function withStatements({ structure: { existing, ...structure }, ...head }: EarlierHead): Head {
  if (existing === undefined) return { ...head, structure }
  const [before, after] = [existing.before, existing.after].map((texts) => texts.map((sql) => ({ sql })))
  const made = { ...existing, before: before!, after: after!, extensions: [], asked: [] }
  return { ...head, structure: { ...structure, existing: made } }
}

/** A line that says something; throws a sentence where it is damaged. */
export function readNote(line: string): Readonly<Record<string, unknown>> {
  const note = parsed(line)
  if (!isObject(note)) throw new Error('It is damaged: a line says what no dump says.')
  return note
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The fingerprints of the secrets that count, the present one first; none where none was made yet. */
export async function fingerprints(settings: Pick<Settings, 'appSecrets' | 'dataDir'>): Promise<readonly string[]> {
  if (settings.appSecrets.length === 0 && !existsSync(join(settings.dataDir, 'secret'))) return []
  const secrets = await secretsOf(settings)
  return secrets.map((secret) => createHash('sha256').update(`plinth dump\0${secret}`).digest('hex').slice(0, 16))
}
