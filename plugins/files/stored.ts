/** ⇄ A file that a row names, wherever it is: at its place, or where the keeper has moved it aside. */
import type { Readable } from 'node:stream'
import type { PluginContext } from '../../engine/index.ts'
import { asideOf } from './key.ts'
import { storageOf } from './open-storage.ts'

/** The bytes of a file as they come; undefined when there is none. */
export async function readStored(
  { settings }: Pick<PluginContext, 'settings'>,
  key: string,
): Promise<Readable | undefined> {
  const storage = storageOf(settings)
  const aside = asideOf(key)
  // The last look is for one that was brought back between the first two.
  const places = aside === undefined ? [key] : [key, aside, key]
  for (const place of places) {
    const found = await storage.read(place)
    if (found !== undefined) return found
  }
  return undefined
}

/** Removes a file that somebody asked to be removed, for good; that it is not there is fine. */
export async function removeStored({ settings }: Pick<PluginContext, 'settings'>, key: string): Promise<void> {
  const storage = storageOf(settings)
  const aside = asideOf(key)
  await storage.remove(key)
  if (aside !== undefined) await storage.remove(aside)
}
