/** The saved_views plugin: people give the lists that they look at a name, and share them. */
import { definePlugin } from '../../engine/index.ts'
import { check } from './check.ts'

export default definePlugin({
  name: 'saved_views',
  description:
    'Lists that people keep under a name, for themselves, for their role or for all; the console has them in its menu.',
  needs: ['auth'],
  resources: ['saved_views', 'de.words'].map((name) => new URL(`./resources/${name}.yaml`, import.meta.url)),
  hooks: { check },
})
