/** The keys that stored files have: by what keeps them and by whose they are, `media/<owner>/ab/<word>.png`. */
import { randomBytes } from 'node:crypto'
import type { PluginContext } from '../../engine/index.ts'

/** What keeps files: each has a part of the storage to itself. */
export type Area = 'media' | 'reports' | 'imports'

const OWNED = /^(?:media|reports|imports)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/./

/** Below which an application keeps the files of one area. */
export function placeOf({ instance }: Pick<PluginContext, 'instance'>, area: Area): string {
  return `${area}/${instance}/`
}

/** Below which lies what was moved aside of that. */
export function asidePlaceOf({ instance }: Pick<PluginContext, 'instance'>, area: Area): string {
  return `aside/${instance}/${area}/`
}

/** A key that nobody can guess and that is never used again, spread over folders. */
export function freshKey(context: Pick<PluginContext, 'instance'>, area: Area, extension: string): string {
  const word = randomBytes(16).toString('hex')
  return `${placeOf(context, area)}${word.slice(0, 2)}/${word}.${extension}`
}

/** Where the file of a key is when it was moved aside; undefined for keys without an owner, which nobody moves. */
export function asideOf(key: string): string | undefined {
  const owner = OWNED.exec(key)?.[1]
  const [area = '', , ...rest] = key.split('/')
  return owner === undefined ? undefined : ['aside', owner, area, ...rest].join('/')
}

/** The key that a file had before it was moved aside. */
export function keyBefore(aside: string): string {
  const [, owner = '', area = '', ...rest] = aside.split('/')
  return [area, owner, ...rest].join('/')
}
