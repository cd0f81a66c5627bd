@echo off
rem The command line of the packaged app, on the Node that lies beside it.
setlocal
set INIT_CWD=
set "node=%~dp0node.exe"
if not exist "%node%" set node=node
"%node%" "%~dp0..\app.asar.unpacked\cli\dist\electron\cli.js" %*
