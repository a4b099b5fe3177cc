/** The scim plugin: a directory of the company makes, changes and ends accounts, and says who is in which group. */
import { definePlugin } from '../../engine/index.ts'
import { discoveryRoutes } from './discovery.ts'
import { groupRoutes } from './groups.ts'
import { OPTIONS, optionMistakes } from './options.ts'
import { plannedRoles } from './role.ts'
import { PERMISSION } from './route.ts'
import { withScimFields } from './user.ts'
import { userRoutes } from './users.ts'

export default definePlugin({
  name: 'scim',
  description: 'SCIM 2.0: a directory of the company keeps accounts and groups here, by a key.',
  needs: ['timestamps', 'soft_delete', 'auth'],
  options: OPTIONS,
  transforms: [withScimFields],
  rules: [optionMistakes],
  permissions: { [PERMISSION]: 'May read and write accounts and groups by SCIM, as far as its other permissions go.' },
  resources: [
    new URL('./resources/scim_groups.yaml', import.meta.url),
    new URL('./resources/scim_members.yaml', import.meta.url),
  ],
  plan: plannedRoles,
  routes: [...discoveryRoutes, ...userRoutes, ...groupRoutes],
})
