/**
 * Watches YAML and plugins ⇄: every saved change becomes the next app; on mistakes they are shown, and the last good
 * app serves on.
 */
import { resolve } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import { foldersBelow, pluginFolders, readLayers } from '../boot/layers.ts'
import type { Engine } from '../engine.ts'
import { sentenceOf } from '../error.ts'
import { keepLock } from './accept.ts'
import { showDiagnostics } from './application.ts'
import type { Invocation } from './command.ts'
import { writeForEditors } from './for-editors.ts'

/** Editors write a file in several steps. */
const SETTLE_MS = 150

const YAML = /\.(?:ya?ml|liquid)$/
const PLUGINS = /\.(?:ya?ml|[mc]?[jt]sx?|json|css)$/
/** Folders of packages and of editors in the folder of plugins, which hold no code of the application. */
const LEFT_OUT = /[\\/](?:node_modules|\.[^\\/]*)(?:[\\/]|$)/

/** The files of an application, which are watched. */
export interface Watching {
  /**
   * Reloads the engine for changes since the watching began, one reload at a time. The first waits for `written`: the
   * work on the files as they were read.
   */
  follow(engine: Engine, written: Promise<void>): void
  /** Resolves when nothing is watched and no reload runs. */
  end(): Promise<void>
}

/**
 * Watches the files of resources and plugins, those of applications below too; resolves once no change can be missed, so
 * read them afterwards.
 */
export async function watchSources(invocation: Invocation): Promise<Watching> {
  let timer: NodeJS.Timeout | undefined
  let reloading = Promise.resolve()
  let isSaved = false
  let saved = (): void => {
    isSaved = true
  }
  const folders = watchFolders(() => {
    clearTimeout(timer)
    timer = setTimeout(() => saved(), SETTLE_MS)
  })
  await folders.add(await placesOf(invocation))
  return {
    follow(engine, written) {
      reloading = written
      saved = () => {
        reloading = reloading.then(async () => {
          // Before the files are read, so that no change of another application is missed.
          await folders.add(await placesOf(invocation))
          await reload(engine, invocation)
        })
      }
      if (isSaved) saved()
    },
    async end() {
      clearTimeout(timer)
      await folders.end()
      clearTimeout(timer)
      await reloading
      // A reload may have begun to watch more of them.
      await folders.end()
    },
  }
}

/** Folders with the files in them that are watched. */
type Places = ReadonlyMap<string, RegExp>

/** The folders of an application and of those below it; its own alone where the others cannot be read now. */
async function placesOf({ settings }: Invocation): Promise<Places> {
  const { resourcesDir, pluginsDir } = settings
  const { value } = await readLayers(resourcesDir)
  const [yaml, plugins] = value === undefined ? [[], []] : [foldersBelow(value), pluginFolders(value)]
  const own = [resourcesDir, ...yaml].map((folder) => [resolve(folder), YAML] as const)
  return new Map([...own, ...[pluginsDir, ...plugins].map((folder) => [resolve(folder), PLUGINS] as const)])
}

/** Calls `changed` for each change in one of the folders; more may be added. */
function watchFolders(changed: () => void) {
  const watched = new Map<string, FSWatcher>()
  const begin = async (folder: string, files: RegExp): Promise<void> => {
    const ignored = (path: string): boolean => files === PLUGINS && LEFT_OUT.test(resolve(path).slice(folder.length))
    // One watcher each: a folder of plugins that does not exist would make a common watcher ready too early.
    const watcher = watch(folder, { ignoreInitial: true, ignored })
    watched.set(folder, watcher)
    watcher.on('all', (_, path) => {
      if (files.test(path)) changed()
    })
    await new Promise<void>((ready) => watcher.once('ready', ready))
  }
  const end = async (folder: string): Promise<void> => {
    await watched.get(folder)?.close()
    watched.delete(folder)
  }
  return {
    async add(places: Places): Promise<void> {
      const fresh = [...places].filter(([folder]) => !watched.has(folder))
      await Promise.all(fresh.map(([folder, files]) => begin(folder, files)))
    },
    end: () => Promise.all([...watched.keys()].map(end)),
  }
}

async function reload(engine: Engine, invocation: Invocation): Promise<void> {
  const { settings, say, complain } = invocation
  try {
    const diagnostics = await engine.reload()
    showDiagnostics({ diagnostics }, invocation)
    const failed = diagnostics.some((diagnostic) => diagnostic.severity !== 'warning')
    if (!failed && !settings.production) await writeForEditors(engine.app, settings)
    if (!failed) await keepLock(engine.app, invocation)
    say(failed ? 'The last good version is still served.' : 'The change is served.')
  } catch (error) {
    complain(sentenceOf(error))
  }
}
