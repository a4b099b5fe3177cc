/** Keys of stored files, by keeper and owner: `media/<owner>/ab/<word>.png`. */
import { randomBytes } from 'node:crypto'
import type { PluginContext } from '../../engine/index.ts'

/** A keeper of files; each has its own part of the storage. */
export type Area = 'media' | 'reports' | 'imports'

const OWNED = /^(?:media|reports|imports)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/./

/** The prefix of an application's files in an area. */
export function placeOf({ instance }: Pick<PluginContext, 'instance'>, area: Area): string {
  return `${area}/${instance}/`
}

/** The prefix of files that were moved aside. */
export function asidePlaceOf({ instance }: Pick<PluginContext, 'instance'>, area: Area): string {
  return `aside/${instance}/${area}/`
}

/** A key that nobody can guess and that is never used again, spread over folders. */
export function freshKey(context: Pick<PluginContext, 'instance'>, area: Area, extension: string): string {
  const word = randomBytes(16).toString('hex')
  return `${placeOf(context, area)}${word.slice(0, 2)}/${word}.${extension}`
}

/** The place of a key's file when it is moved aside; undefined for keys without an owner, which are never moved. */
export function asideOf(key: string): string | undefined {
  const owner = OWNED.exec(key)?.[1]
  const [area = '', , ...rest] = key.split('/')
  return owner === undefined ? undefined : ['aside', owner, area, ...rest].join('/')
}

/** The key of a file before it was moved aside. */
export function keyBefore(aside: string): string {
  const [, owner = '', area = '', ...rest] = aside.split('/')
  return [area, owner, ...rest].join('/')
}
