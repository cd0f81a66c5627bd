export type Order = readonly (string | readonly string[])[];
export const ROOMS: Readonly<Record<string, Order>>;
export const CHECKED: readonly string[];
export function roomsIn(order: Order): string[];
export function roomsBarredFrom(order: Order, room: string): string[];
