/** `triad permissions`: the commands about rules and grants. */
import type { Command } from 'commander';
import type { Io } from '../terminal/io.ts';
import { addGroup } from './group.ts';
import { addPermissionsAdd } from './permissions/add.ts';
import { addPermissionsExplain } from './permissions/explain.ts';
import { addPermissionsList } from './permissions/list.ts';
import { addPermissionsMove } from './permissions/move.ts';
import { addPermissionsRemove } from './permissions/remove.ts';
import { addPermissionsRevoke } from './permissions/revoke.ts';

export function addPermissions(program: Command, io: Io): void {
  const permissions = addGroup(
    program,
    'permissions',
    'list, explain and change the rules and grants that decide which calls require approval',
  );
  addPermissionsList(permissions, io);
  addPermissionsExplain(permissions, io);
  addPermissionsRevoke(permissions, io);
  addPermissionsAdd(permissions, io);
  addPermissionsRemove(permissions, io);
  addPermissionsMove(permissions, io);
}
