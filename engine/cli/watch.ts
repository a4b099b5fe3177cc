/**
 * Watches YAML and plugins ⇄: every saved change becomes the next app; on mistakes they are shown, and the last good
 * app serves on.
 */
import { resolve } from 'node:path'
import { watch } from 'chokidar'
import type { Engine } from '../engine.ts'
import { sentenceOf } from '../error.ts'
import { showDiagnostics } from './application.ts'
import type { Invocation } from './command.ts'
import { writeForEditors } from './for-editors.ts'

/** Editors write a file in several steps. */
const SETTLE_MS = 150

const YAML = /\.(?:ya?ml|liquid)$/
const PLUGINS = /\.(?:ya?ml|[mc]?[jt]s|json)$/
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

/** Watches the files of resources and plugins; resolves once no change can be missed, so read them afterwards. */
export async function watchSources(invocation: Invocation): Promise<Watching> {
  const { resourcesDir, pluginsDir } = invocation.settings
  let timer: NodeJS.Timeout | undefined
  let reloading = Promise.resolve()
  let isSaved = false
  let saved = (): void => {
    isSaved = true
  }
  const plugins = resolve(pluginsDir)
  const ofPlugins = (path: string): boolean => resolve(path).startsWith(plugins)
  const ignored = (path: string): boolean => ofPlugins(path) && LEFT_OUT.test(resolve(path).slice(plugins.length))
  const changed = (path: string): void => {
    if (!(ofPlugins(path) ? PLUGINS : YAML).test(path)) return
    clearTimeout(timer)
    timer = setTimeout(() => saved(), SETTLE_MS)
  }
  // One watcher each: a folder of plugins that does not exist would make a common watcher ready too early.
  const watchers = [resourcesDir, plugins].map((folder) => watch(folder, { ignoreInitial: true, ignored }))
  for (const watcher of watchers) watcher.on('all', (_, path) => changed(path))
  await Promise.all(watchers.map((watcher) => new Promise<void>((ready) => watcher.once('ready', ready))))
  return {
    follow(engine, written) {
      reloading = written
      saved = () => {
        reloading = reloading.then(() => reload(engine, invocation))
      }
      if (isSaved) saved()
    },
    async end() {
      clearTimeout(timer)
      await Promise.all(watchers.map((watcher) => watcher.close()))
      await reloading
    },
  }
}

async function reload(engine: Engine, invocation: Invocation): Promise<void> {
  const { settings, say, complain } = invocation
  try {
    const diagnostics = await engine.reload()
    showDiagnostics({ diagnostics }, invocation)
    const failed = diagnostics.some((diagnostic) => diagnostic.severity !== 'warning')
    if (!failed && !settings.production) await writeForEditors(engine.app, settings)
    say(failed ? 'The last good version is still served.' : 'The change is served.')
  } catch (error) {
    complain(sentenceOf(error))
  }
}
