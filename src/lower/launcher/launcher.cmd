@echo off
rem Starts the program of this file's own name for the machine at hand: PLATFORM\NAME.exe beside this
rem file. Where there is none, it answers as plugcast-run does: one JSON object, exit code 5.
setlocal
set "platform=windows-x86_64"
if /i "%PROCESSOR_ARCHITECTURE%"=="ARM64" set "platform=windows-aarch64"
if /i "%PROCESSOR_ARCHITEW6432%"=="ARM64" set "platform=windows-aarch64"
if not exist "%~dp0%platform%\%~n0.exe" (
  echo {"schema":"rt.error/1","status":"error","error":{"code":"helper_missing","message":"this plugin carries no `%~n0` for %platform%","hint":"build the plugin again with one for %platform%, and install it again"}}
  exit /b 5
)
"%~dp0%platform%\%~n0.exe" %*
exit /b %ERRORLEVEL%
