/** ⇄ While the YAML is edited: every saved change becomes the next app, or its mistakes are shown and the last good one serves on. */
import { watch } from 'chokidar'
import type { Engine } from '../engine.ts'
import { sentenceOf, showDiagnostics } from './application.ts'
import type { Invocation } from './command.ts'

/** Editors write a file in several steps. */
const SETTLE_MS = 150

/**
 * Reloads the engine when a YAML file of its resources changes, one reload at a time. Resolves once
 * nothing that is saved can be missed, with what ends the watching.
 */
export async function watchResources(engine: Engine, invocation: Invocation): Promise<() => Promise<void>> {
  const { settings, say, complain } = invocation
  let timer: NodeJS.Timeout | undefined
  let reloading: Promise<void> = Promise.resolve()

  async function reload(): Promise<void> {
    try {
      const diagnostics = await engine.reload()
      showDiagnostics({ diagnostics }, invocation)
      const failed = diagnostics.some((diagnostic) => diagnostic.severity !== 'warning')
      say(failed ? 'The last good version is still served.' : 'The change is served.')
    } catch (error) {
      complain(sentenceOf(error))
    }
  }

  const watcher = watch(settings.resourcesDir, { ignoreInitial: true })
  watcher.on('all', (_, path) => {
    if (!/\.ya?ml$/.test(path)) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      reloading = reloading.then(reload)
    }, SETTLE_MS)
  })
  await new Promise<void>((ready) => watcher.once('ready', ready))
  return async () => {
    clearTimeout(timer)
    await watcher.close()
    await reloading
  }
}
