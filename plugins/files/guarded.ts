/** A storage that takes no key which would lead out of it, whatever a row or a dump says. */
import { isStorageKey, requireStorageKey } from '../../engine/index.ts'
import type { Storage } from './storage.ts'

/** The same storage: under a text that is no key nothing is stored, and nothing can be put. */
export function guarded(storage: Storage): Storage {
  return {
    description: storage.description,
    put: async (key, source) => {
      requireStorageKey(key)
      return storage.put(key, source)
    },
    read: async (key) => (isStorageKey(key) ? storage.read(key) : undefined),
    move: async (from, to, at) => {
      requireStorageKey(to)
      return isStorageKey(from) && storage.move(from, to, at)
    },
    remove: async (key) => {
      if (isStorageKey(key)) await storage.remove(key)
    },
    list: (prefix) => {
      requireStorageKey(prefix.replace(/\/$/, ''))
      return storage.list(prefix)
    },
  }
}
